// @aws-sdk/client-sqs.
'use strict';
const sqs = require('@aws-sdk/client-sqs');
const {serve} = require('./words.js');

let client;

const read = (text) => JSON.parse(text, (key, value) => key === 'BinaryValue' ? Buffer.from(value, 'base64') : value);
const write = (value) => JSON.stringify(
    value, (key, one) => key === 'BinaryValue' ? Buffer.from(Object.values(one)).toString('base64') : one);

serve({
  async connect(port) { client = new sqs.SQSClient({endpoint: `http://127.0.0.1:${port}`, region: 'eu-west-1'}); },
  async call(name, ...text) {
    const Command = sqs[`${name}Command`];
    if (Command === undefined) return 'unknown';
    try {
      const {$metadata, ...answer} = await client.send(new Command(read(text.join(' '))));
      return `done ${write(answer)}`;
    } catch (error) {
      if (error.$response === undefined && error.$metadata?.httpStatusCode === undefined) throw error;
      return `refused ${error.Code ?? error.name} ${error.name}`;
    }
  },
});
