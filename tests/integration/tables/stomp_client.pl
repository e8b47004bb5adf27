# A client of STOMP by libnet-stomp-perl as it is in Debian, which speaks 1.0: sends COUNT messages to a queue, each with a
# receipt, takes them again in mode client, and acknowledges each.
#
#     perl stomp_client.pl HOST PORT DESTINATION COUNT
use strict;
use warnings;
use Net::Stomp;

my ($host, $port, $destination, $count) = @ARGV;
my $stomp = Net::Stomp->new({ hostname => $host, port => $port });
my $connected = $stomp->connect({});
die "no CONNECTED" unless $connected->command eq 'CONNECTED';
print 'version ', $connected->headers->{version}, "\n";
for my $i (1 .. $count) {
    $stomp->send_with_receipt({ destination => $destination, body => "message $i", colour => 'red' }) or die "no receipt";
}
$stomp->subscribe({ destination => $destination, ack => 'client' });
for my $i (1 .. $count) {
    my $frame = $stomp->receive_frame({ timeout => 60 }) or die "no message $i";
    die $frame->command . ': ' . $frame->body unless $frame->command eq 'MESSAGE';
    print $frame->body, ' colour=', $frame->headers->{colour}, "\n";
    $stomp->ack({ frame => $frame });
}
$stomp->unsubscribe({ destination => $destination });
$stomp->disconnect;
