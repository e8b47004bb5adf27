<?php
// Symfony Messenger over its bridge to SQS: a worker that receives, and deletes what it handled, as messenger:consume does.
require 'Symfony/Component/Messenger/autoload.php';
require 'Symfony/Component/Messenger/Bridge/AmazonSqs/autoload.php';
require __DIR__ . '/words.php';

use Symfony\Component\Messenger\Bridge\AmazonSqs\Transport\AmazonSqsTransportFactory;
use Symfony\Component\Messenger\Envelope;
use Symfony\Component\Messenger\Transport\Serialization\PhpSerializer;

$port = '';
$key = getenv('AWS_ACCESS_KEY_ID') . ':' . getenv('AWS_SECRET_ACCESS_KEY');
$of = function (string $more = '') use (&$port, $key) {
    return (new AmazonSqsTransportFactory())->createTransport(
        "sqs://$key@127.0.0.1:$port/work?sslmode=disable&region=eu-west-1&wait_time=1&poll_timeout=0.05$more",
        [],
        new PhpSerializer()
    );
};
$producer = $consumer = null;

serve([
    'connect' => function (string $at) use (&$port, &$producer, $of) {
        $port = $at;
        $producer = $of();
        $producer->setup();
    },
    'put' => function (string $body) use (&$producer) {
        $message = new stdClass();
        $message->body = $body;
        $producer->send(new Envelope($message));
    },
    'consume' => function (string $timeout) use (&$consumer, $of) {
        $consumer = $of("&visibility_timeout=$timeout");
    },
    'take' => function (string $seconds) use (&$consumer) {
        for ($until = microtime(true) + (int) $seconds; microtime(true) < $until;) {
            foreach ($consumer->get() as $envelope) {
                $consumer->ack($envelope);
                return 'took ' . $envelope->getMessage()->body;
            }
        }
        return 'none';
    },
]);
