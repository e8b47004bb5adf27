// sqs-consumer: it receives, hands each message to a function, and deletes it.
'use strict';
const {setTimeout} = require('node:timers/promises');
const {CreateQueueCommand, SQSClient, SendMessageCommand} = require('@aws-sdk/client-sqs');
const {Consumer} = require('sqs-consumer');
const {serve} = require('./words.js');

let client, queueUrl;
const handled = [];

serve({
  async connect(port) {
    client = new SQSClient({endpoint: `http://127.0.0.1:${port}`, region: 'eu-west-1'});
    queueUrl = (await client.send(new CreateQueueCommand({QueueName: 'work'}))).QueueUrl;
  },
  async put(body) { await client.send(new SendMessageCommand({QueueUrl: queueUrl, MessageBody: body})); },
  async consume(visibilityTimeout) {
    const consumer = Consumer.create({
      queueUrl,
      sqs: client,
      batchSize: 10,
      visibilityTimeout: Number(visibilityTimeout),
      waitTimeSeconds: 2,
      async handleMessage(message) {
        handled.push(message.Body);
        return message;
      },
    });
    for (const event of ['error', 'processing_error', 'timeout_error']) consumer.on(event, () => {});
    consumer.start();
  },
  async take(seconds) {
    for (let left = 50 * Number(seconds); handled.length === 0 && left > 0; --left) await setTimeout(20);
    return handled.length === 0 ? 'none' : `took ${handled.shift()}`;
  },
});
