"""The loop of the Python programs here: a line of words comes, a line of words goes. ../clients.py says which."""
import sys


def serve(words):
    print('words', *words, flush=True)
    for line in sys.stdin:
        word, *given = line.rstrip('\n').split(' ')
        try:
            answer = words[word](*given)
        except Exception as error:  # whatever a library throws is told
            answer = f'error {type(error).__name__}: {error}'.replace('\n', ' ')
        print(answer or 'ok', flush=True)
