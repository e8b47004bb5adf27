<?php
// Pheanstalk. It connects again by itself, once for each command, and sends the command again.
require 'Pheanstalk/autoload.php';
require __DIR__ . '/words.php';

use Pheanstalk\JobId;
use Pheanstalk\Pheanstalk;

$client = null;
$reserved = fn ($job) => $job === null ? 'none' : "reserved {$job->getId()} {$job->getData()}";

serve([
    'connect' => function (string $port) use (&$client) {
        $client = Pheanstalk::create('127.0.0.1', (int) $port);
    },
    'put' => function (string $tube, string $priority, string $delay, string $ttr, string $body) use (&$client) {
        $job = $client->useTube($tube)->put($body, (int) $priority, (int) $delay, (int) $ttr);
        return "inserted {$job->getId()}";
    },
    'watch' => function (string ...$tubes) use (&$client) {
        foreach ($tubes as $tube) {
            $client->watch($tube);
        }
        foreach (array_diff($client->listTubesWatched(true), $tubes) as $tube) {
            $client->ignore($tube);
        }
    },
    'reserve' => function (string $seconds) use (&$client, $reserved) {
        return $reserved($client->reserveWithTimeout((int) $seconds));
    },
    'touch' => function (string $job) use (&$client) {
        $client->touch(new JobId($job));
    },
    'delete' => function (string $job) use (&$client) {
        $client->delete(new JobId($job));
    },
    'release' => function (string $job, string $priority, string $delay) use (&$client) {
        $client->release(new JobId($job), (int) $priority, (int) $delay);
    },
    'bury' => function (string $job, string $priority) use (&$client) {
        $client->bury(new JobId($job), (int) $priority);
    },
    'kick' => function (string $tube, string $count) use (&$client) {
        return 'kicked ' . $client->useTube($tube)->kick((int) $count);
    },
    'kick-job' => function (string $job) use (&$client) {
        $client->kickJob(new JobId($job));
    },
    'state' => function (string $job) use (&$client) {
        return 'state ' . $client->statsJob(new JobId($job))['state'];
    },
]);
