"""boto3, of Debian (pairs and XML) or of pip (JSON)."""
import base64
import json
import os

import boto3
import botocore.exceptions

from words import serve

client = None


def connect(port):
    global client
    client = boto3.client('sqs', endpoint_url=f'http://127.0.0.1:{port}', region_name='eu-west-1')


def call(name, *words):
    text = ' '.join(words)
    method = ''.join(f'_{letter.lower()}' if letter.isupper() else letter for letter in name).lstrip('_')
    if not hasattr(client, method):
        return 'unknown'
    given = json.loads(text, object_hook=lambda one: {
        key: base64.b64decode(value) if key == 'BinaryValue' else value for key, value in one.items()})
    try:
        answer = getattr(client, method)(**given)
    except client.exceptions.ClientError as error:
        return f'refused {error.response["Error"]["Code"]} {type(error).__name__}'
    answer.pop('ResponseMetadata')
    return 'done ' + json.dumps(answer, default=lambda value: base64.b64encode(value).decode())


if os.environ.get('FJ_ONLY_VERSION'):
    print(boto3.__version__)
else:
    serve({'connect': connect, 'call': call})
