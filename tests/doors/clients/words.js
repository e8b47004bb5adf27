// The loop of the Node programs here: a line of words comes, a line of words goes. ../clients.py says which.
'use strict';
const readline = require('node:readline');

let fail;  // what is under way
let is_closed = false;

// For the listener of the end of a connection: not all of the libraries tell those who wait for an answer.
exports.closed = () => {
  is_closed = true;
  fail?.(new Error('the connection was closed'));
};

exports.serve = async (words) => {
  console.log(`words ${Object.keys(words).join(' ')}`);
  for await (const line of readline.createInterface({input: process.stdin})) {
    const [word, ...given] = line.split(' ');
    const end = new Promise((resolve, reject) => fail = reject);
    if (word === 'connect') is_closed = false;
    try {
      if (is_closed) throw new Error('the connection was closed');
      console.log(await Promise.race([words[word](...given), end]) ?? 'ok');
    } catch (error) {
      const text = String(error?.response ?? error?.message ?? error).replace(/\s+/g, ' ');
      console.log(/NOT_FOUND/.test(text) ? 'no' : `error ${text}`);
    }
    fail = undefined;
  }
  process.exit();
};
