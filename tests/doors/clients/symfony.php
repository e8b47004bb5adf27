<?php
// Symfony Messenger: a transport for each tube, and a worker that asks one after the other, as messenger:consume does.
// It has no words for touch, release, bury and kick: what fails is sent again. REJECT deletes, too.
require 'Symfony/Component/Messenger/autoload.php';
require 'Symfony/Component/Messenger/Bridge/Beanstalkd/autoload.php';
require __DIR__ . '/words.php';

use Symfony\Component\Messenger\Bridge\Beanstalkd\Transport\BeanstalkdReceivedStamp;
use Symfony\Component\Messenger\Bridge\Beanstalkd\Transport\BeanstalkdTransportFactory;
use Symfony\Component\Messenger\Envelope;
use Symfony\Component\Messenger\Stamp\DelayStamp;
use Symfony\Component\Messenger\Transport\Serialization\PhpSerializer;

$port = '';
$transports = [];
$watched = [];
$had = [];  // job -> [its transport, its envelope]

$of = function (string $tube, string $ttr = '3600') use (&$port, &$transports) {
    return $transports["$tube $ttr"] ??= (new BeanstalkdTransportFactory())->createTransport(
        "beanstalkd://127.0.0.1:$port?tube_name=$tube&ttr=$ttr&timeout=0",
        [],
        new PhpSerializer()
    );
};
$end = function (string $how) use (&$had) {
    return function (string $job) use (&$had, $how) {
        [$transport, $envelope] = $had[$job];
        $transport->$how($envelope);
    };
};

serve([
    'connect' => function (string $at) use (&$port, &$transports) {
        $port = $at;
        $transports = [];
    },
    'put' => function (string $tube, string $priority, string $delay, string $ttr, string $body) use ($of) {
        $message = new stdClass();
        $message->body = $body;
        $of($tube, $ttr)->send(new Envelope($message, $delay === '0' ? [] : [new DelayStamp(1000 * (int) $delay)]));
        return 'inserted -';
    },
    'watch' => function (string ...$tubes) use (&$watched) {
        $watched = $tubes;
    },
    'reserve' => function (string $seconds) use (&$watched, &$had, $of) {
        $until = microtime(true) + (int) $seconds;
        do {
            foreach ($watched as $tube) {
                foreach ($of($tube)->get() as $envelope) {
                    $job = $envelope->last(BeanstalkdReceivedStamp::class)->getId();
                    $had[$job] = [$of($tube), $envelope];
                    return "reserved $job {$envelope->getMessage()->body}";
                }
            }
            $is_over = microtime(true) >= $until;
            $is_over || usleep(20_000);
        } while (!$is_over);
        return 'none';
    },
    'delete' => $end('ack'),
    'reject' => $end('reject'),
]);
