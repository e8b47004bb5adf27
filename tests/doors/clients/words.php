<?php
// The loop of the PHP programs here: a line of words comes, a line of words goes. ../clients.py says which.

/** @param array<string, callable> $words */
function serve(array $words): void
{
    echo 'words ', implode(' ', array_keys($words)), "\n";
    while (($line = fgets(STDIN)) !== false) {
        $arguments = explode(' ', rtrim($line, "\n"));
        $word = array_shift($arguments);
        try {
            $answer = $words[$word](...$arguments) ?? 'ok';
        } catch (Throwable $error) {
            $is_absent = false;
            for ($one = $error; $one !== null; $one = $one->getPrevious()) {
                $is_absent = $is_absent || $one instanceof Pheanstalk\Exception\JobNotFoundException
                    || str_contains($one->getMessage(), 'NOT_FOUND');
            }
            $answer = $is_absent ? 'no' : 'error ' . get_class($error) . ': ' . strtr($error->getMessage(), "\r\n", '  ');
        }
        echo $answer, "\n";
    }
}
