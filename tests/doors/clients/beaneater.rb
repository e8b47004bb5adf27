# Beaneater. It connects again by itself, and sends the command again.
require 'beaneater'

client = nil
handle = ->(id) { Beaneater::Job.new(client, { id: id, status: 'RESERVED' }) }

WORDS = {
  'connect' => lambda { |port|
    client = Beaneater.new("127.0.0.1:#{port}")
    nil
  },
  'put' => lambda { |tube, pri, delay, ttr, body|
    put = client.tubes[tube].put(body, pri: pri.to_i, delay: delay.to_i, ttr: ttr.to_i)
    "inserted #{put[:id]}"
  },
  'watch' => lambda { |*tubes|
    client.tubes.watch!(*tubes)
    nil
  },
  'reserve' => lambda { |seconds|
    begin
      job = client.tubes.reserve(seconds.to_i)
      "reserved #{job.id} #{job.body}"
    rescue Beaneater::TimedOutError
      'none'
    rescue Beaneater::DeadlineSoonError
      'soon'
    end
  },
  'touch' => ->(id) { handle[id].touch && nil },
  'delete' => ->(id) { handle[id].delete && nil },
  'release' => ->(id, pri, delay) { handle[id].release(pri: pri.to_i, delay: delay.to_i) && nil },
  'bury' => ->(id, pri) { handle[id].bury(pri: pri.to_i) && nil },
  'kick' => ->(tube, count) { "kicked #{client.tubes[tube].kick(count.to_i)[:id]}" },
  'kick-job' => ->(id) { handle[id].kick && nil },
  'state' => ->(id) { "state #{handle[id].stats.state}" }
}.freeze

$stdout.sync = true
puts "words #{WORDS.keys.join(' ')}"
while (line = $stdin.gets)
  word, *arguments = line.chomp.split(' ')
  begin
    puts(WORDS.fetch(word).call(*arguments) || 'ok')
  rescue Beaneater::NotFoundError
    puts 'no'
  rescue StandardError => e
    puts "error #{e.class}: #{e.message.tr("\r\n", '  ')}"
  end
end
