// Made by ./mk generate from plugins/queue/queue.xml and clients/calls/queue.toml: do not edit.
import type {
  Acquired,
  DateValue,
  LeasedMessage,
  Limits,
  Numbered,
  Params,
  QueueMessage,
  Reason,
  ReturnedMessage,
} from '../index.js';

/** The message is on its queues, synced. */
export interface Sent {
  /** Its number on the first of its queues; absent: on none. */
  message: number | bigint | undefined;
  /** On how many queues it is. */
  queues: number;
  /** 'sent' or 'duplicate'; of a transaction also 'expired'. */
  result: 'sent' | 'duplicate' | 'expired';
  /** Not handed out before. */
  processDate: number;
}

/** A message. */
export interface MessageFields {
  /** The table. */
  table: string;
  /** Its number on this queue. */
  message: number | bigint;
  /** Of the lease; READ and BROWSE tell it to its holder, and to those who may manage the table. */
  epoch: number | bigint;
  /** Messages of several queues that came as one have the same. */
  origin?: number | bigint;
  /** The queue. */
  queue: string;
  /** The exchange by which it came. */
  exchange?: string;
  /** Its routing key. */
  routingKey?: string;
  /** Its group. */
  group?: string;
  /** Bytes of its body. */
  bytes: number;
  /** Of a part of its body: the first byte. */
  offset?: number;
  /** The queue on which it died. */
  deadOf?: string;
  /** Its priority. */
  priority: number;
  /** Its date. */
  processDate: number;
  /** When it came. */
  sentDate: number;
  /** When it expires. */
  expirationDate?: number;
  /** `true`: it was handed out before. */
  redelivered: boolean;
  /** Deliveries that failed or timed out. */
  deliveries: number;
  /** When the lease is over. */
  leaseEnd?: number;
  /** Who has it. */
  worker?: string;
  /** How long its leases last, in ms, if it says so itself. */
  lease?: number;
  /** Counted in its life, up to 255, where message-counts says so: how often it was handed out. */
  leases?: number;
  /** The same: given back by RELEASE. */
  returns?: number;
  /** The same: parked. */
  parkings?: number;
  /** The same: put back to work by KICK or MOVE. */
  kicks?: number;
  /** The same: leases that timed out, but for those whose connection was lost. */
  timeouts?: number;
  /** Of READ and PEEK: the date at the daemon. */
  now?: number;
  /** 'waiting' (for its date), 'due', 'behind' (another one of its group), 'acquired' or 'parked'. */
  status?: 'waiting' | 'due' | 'behind' | 'acquired' | 'parked';
  /** What a consumer said last. */
  error?: string;
  /** Where it went wrong, as that consumer said. */
  errorTrace?: string;
}

/** A queue. */
export interface Queue {
  /** Its name. */
  queue: string;
  /** Messages on it. */
  messages: number;
  /** Of these, ready to be handed out. */
  due: number;
  /** Of these, waiting for another one of their group; missing if there are none. */
  behind?: number;
  /** Of the due ones, with a priority below 1024; 100,000 are looked at, at most. */
  urgent?: number;
  /** Of these, with consumers. */
  acquired: number;
  /** Of these, parked for an operator. */
  parked: number;
  /** Bytes of their bodies. */
  bytes: number;
  /** `true`: it ends with its connection. */
  temporary: boolean;
  /** `true`: in the table's file. */
  declared: boolean;
  /** `true`: it was removed, and its messages go. */
  leaving: boolean;
  /** The queue of dead letters. */
  deadLetters: string;
  /** Its limit. */
  maxDeliveries?: number;
  /** Its limit. */
  maxMessages?: number;
  /** Its limit. */
  maxBytes?: number;
  /** 'refuse' or 'drop'. */
  whenFull?: 'refuse' | 'drop';
  /** How long consumers of its messages may take, in ms. */
  lease?: number;
  /** `true`: it hands out nothing. */
  paused: boolean;
  /** When it goes on by itself. */
  pausedUntil?: number;
  /** Of a queue that is paused until a date: the date at the daemon. */
  now?: number;
  /** Why, as was said. */
  pauseReason?: string;
  /** How long its messages last, in ms. */
  expires?: number;
  /** How long a message without a date waits, in ms. */
  delay?: number;
  /** Bytes of a body, at most. */
  maxMessageBytes?: number;
  /** What goes with it, as it came; only of a queue that was named. */
  properties?: string;
  /** When it was made. */
  madeDate?: number;
  /** When DECLARE changed it last, or made it. */
  changedDate?: number;
}

/** An exchange. */
export interface Exchange {
  /** Its name. */
  exchange: string;
  /** 'direct', 'fanout' or 'topic'. */
  kind: 'direct' | 'fanout' | 'topic';
  /** How many it has. */
  bindings: number;
}

/** A binding. */
export interface Binding {
  /** Its number. */
  binding: number;
  /** The exchange. */
  exchange: string;
  /** The queue. */
  queue: string;
  /** The routing key or pattern. */
  routingKey: string;
}

export interface SendOptions extends Numbered {
  /** What goes with it: an object in JSON, which is given back as it came. At most 65536 bytes. */
  properties?: object | string;
  /** The messages of one group on a queue are handed out one at a time, in the order of their numbers. At most 128
   * bytes. */
  group?: string;
  /** The smallest is first; up to 255, unless the table says otherwise by priorities. 0 to 4294967295. Default: 100. */
  priority?: number;
  /** How long its consumers may take unless they say otherwise; as the queue says if absent. 1 to 31536000000. */
  lease?: number;
  /** Not to be handed out before; now if absent. */
  processDate?: DateValue;
  /** Not to be handed out from then on; 0 or absent: as the queue says. */
  expirationDate?: DateValue;
  /** With queue: a further message with the same text, sent to this queue within five minutes of the first one, is not
   * stored; the answer has the number of the first one. At most 128 bytes. */
  deduplication?: string;
}

export interface PublishOptions extends Numbered {
  /** What goes with it: an object in JSON, which is given back as it came. At most 65536 bytes. */
  properties?: object | string;
  /** The messages of one group on a queue are handed out one at a time, in the order of their numbers. At most 128
   * bytes. */
  group?: string;
  /** The smallest is first; up to 255, unless the table says otherwise by priorities. 0 to 4294967295. Default: 100. */
  priority?: number;
  /** How long its consumers may take unless they say otherwise; as the queue says if absent. 1 to 31536000000. */
  lease?: number;
  /** Not to be handed out before; now if absent. */
  processDate?: DateValue;
  /** Not to be handed out from then on; 0 or absent: as the queue says. */
  expirationDate?: DateValue;
  /** `true`: refused if the exchange routes it to no queue; `false`: then it is dropped, and the answer says so. `true`
   * for a direct exchange if absent, else `false`. */
  mandatory?: boolean;
}

export interface AcquireOptions extends Limits {
  /** The queue; of any by turns if absent. At most 255 bytes. */
  queue?: string;
  /** Several of them, between blanks, 256 at most, in place of queue: the first message of all of them, by priority,
   * then in the order of one queue, without turns. At most 4096 bytes. */
  queues?: string;
  /** How many messages at most. 1 to 1024. Default: 1. */
  count?: number;
  /** How long the consumer may take; if absent, as the message or its queue says. From the table's
   * processing-timeout-min to its processing-timeout-max. Default: the table's processing-timeout. */
  lease?: number;
  /** How long to wait for a message when there is none; needs request. 0 to 31536000000. Default: 0. */
  wait?: number;
  /** `true`: they are gone with the answer, without lease and ACCEPT: at most once. */
  accept?: boolean;
  /** The consumer's name, for people; peer address and connection if absent. At most 256 bytes. */
  worker?: string;
}

export interface QueueAcquireMessageOptions extends Limits {
  /** How long the consumer may take; if absent, as the message or its queue says. From the table's
   * processing-timeout-min to its processing-timeout-max. Default: the table's processing-timeout. */
  lease?: number;
  /** The consumer's name, for people; peer address and connection if absent. At most 256 bytes. */
  worker?: string;
}

export interface QueueTouchOptions extends Limits {
  /** How long from now. From the table's processing-timeout-min to its processing-timeout-max. Default: the table's
   * processing-timeout. */
  lease?: number;
  /** The consumer's name, for people. At most 256 bytes. */
  worker?: string;
}

export interface QueueReleaseOptions extends Limits {
  /** When it may be handed out again; if absent: at once, or after the back-off of a failed delivery. */
  processDate?: DateValue;
  /** Its new priority, as in SEND; it keeps the old one if absent. 0 to 4294967295. */
  priority?: number;
  /** What went wrong, for people. Makes it a failed delivery. At most 1 KiB of it are kept. */
  error?: string;
  /** Where it went wrong, as a traceback, for people. Makes it a failed delivery. At most 64 KiB of it are kept. */
  errorTrace?: string;
  /** `true`: a failed delivery, also without error; `false`: none, also with one. */
  failed?: boolean;
}

export interface QueueRejectOptions extends Limits {
  /** Where it went wrong, as a traceback, for people. At most 64 KiB of it are kept. */
  errorTrace?: string;
}

export interface QueueParkOptions extends Limits {
  /** Its new priority, as in SEND; it keeps the old one if absent. 0 to 4294967295. */
  priority?: number;
  /** Why, for people. At most 1 KiB of it are kept. */
  error?: string;
  /** Where it went wrong, as a traceback, for people. At most 64 KiB of it are kept. */
  errorTrace?: string;
}

export interface QueueBrowseOptions extends Limits {
  /** Of this queue only. At most 255 bytes. */
  queue?: string;
  /** In this state only. */
  status?: 'waiting' | 'due' | 'behind' | 'acquired' | 'parked';
  /** `true`: with their bodies. */
  body?: boolean;
  /** Of a page: how many messages at most. 1 to 1000. Default: 100. */
  count?: number;
}

export interface QueueCountOptions extends Limits {
  /** Of this queue only. At most 255 bytes. */
  queue?: string;
  /** In this state only. */
  status?: 'waiting' | 'due' | 'behind' | 'acquired' | 'parked';
  /** So many at most. Default: all. */
  count?: number;
}

export interface QueueReadOptions extends Limits {
  /** From this byte of the body on. Default: 0. */
  offset?: number;
  /** So many bytes of it at most; with offset or length the body comes as bytes. */
  length?: number;
}

export interface QueuePeekOptions extends Limits {
  /** In this state; 'due' if absent, also where the queue is paused. */
  status?: 'due' | 'waiting' | 'behind' | 'parked';
}

export interface QueueQueuesOptions extends Limits {
  /** Of a page: how many queues at most. 1 to 1000. Default: 100. */
  count?: number;
}

export interface QueueExchangesOptions extends Limits {
  /** Of a page: how many exchanges at most. 1 to 1000. Default: 100. */
  count?: number;
}

export interface QueueBindingsOptions extends Limits {
  /** Of this exchange only. At most 255 bytes. */
  exchange?: string;
  /** Of this queue only. At most 255 bytes. */
  queue?: string;
  /** Of a page: how many bindings at most. 1 to 1000. Default: 100. */
  count?: number;
}

export interface QueueOptions extends Limits {
  /** `true`, it ends with this connection. */
  temporary?: boolean;
  /** The queue that gets what is rejected, or was delivered too often; empty: they are parked. At most 255 bytes. */
  deadLetters?: string;
  /** A message that failed so often is dead; 0: as the option max-deliveries. 0 to 250. */
  maxDeliveries?: number;
  /** So many messages at most; 0: no limit. 0 to 4000000000. */
  maxMessages?: number;
  /** So many bytes of bodies at most; 0: no limit. */
  maxBytes?: number;
  /** 'refuse' (SEND), or 'drop' (the first messages, which are dead then). */
  whenFull?: 'refuse' | 'drop';
  /** How long consumers of its messages may take, unless message or ACQUIRE say otherwise; 0: as the option
   * processing-timeout. 0 to 31536000000. */
  lease?: number;
  /** Its messages expire so long after they came, or after their `processDate`, in milliseconds; 0: never. */
  expires?: number;
  /** A message that is sent without `processDate` is handed out so long after it came, in milliseconds; 0: at once. 0
   * to 31536000000. */
  delay?: number;
  /** A body has so many bytes at most; 0: as the option message-size-max. 0 to 67108864. */
  maxMessageBytes?: number;
  /** What goes with it, one object in JSON, which QUEUES of this queue gives back as it came; empty: nothing. At most
   * 8192 bytes. */
  properties?: object | string;
}

export interface QueueRemoveOptions extends Limits {
  /** `true`: only a queue without messages. */
  ifEmpty?: boolean;
}

export interface QueueBindOptions extends Limits {
  /** Of a direct exchange the routing key; of a topic exchange a pattern, where * stands for a word and # for any
   * number of them. At most 255 bytes. */
  routingKey?: string;
  /** `true`: the queue is made if there is none: a durable subscription. */
  declare?: boolean;
  /** `true`: it is made, and ends with this connection: a subscription that does not last. */
  temporary?: boolean;
}

export interface QueueUnbindOptions extends Limits {
  /** As in BIND. At most 255 bytes. */
  routingKey?: string;
}

export interface QueuePurgeOptions extends Limits {
  /** In this state only; both if absent. */
  status?: 'waiting' | 'parked';
  /** So many at most. Default: all. */
  count?: number;
}

export interface QueueMoveOptions extends Limits {
  /** In this state only; both if absent. */
  status?: 'waiting' | 'parked';
  /** So many at most. Default: all. */
  count?: number;
}

export interface QueueMoveBackOptions extends Limits {
  /** In this state only; both if absent. */
  status?: 'waiting' | 'parked';
  /** So many at most. Default: all. */
  count?: number;
}

export interface QueueKickOptions extends Limits {
  /** Of a message: only in this state. */
  status?: 'waiting' | 'acquired' | 'parked';
}

export interface QueueKickQueueOptions extends Limits {
  /** So many at most. Default: all. */
  count?: number;
}

export interface QueuePauseOptions extends Limits {
  /** When it goes on by itself; at RESUME only if absent. */
  until?: DateValue;
  /** Why, for people. At most 255 bytes. */
  reason?: string;
}

/** The commands of one queue table. */
export interface QueueCalls {
  readonly table: string;
  /** Puts a message on a queue, or by an exchange on each queue that it routes to. */
  send(queue: string, body?: string | Uint8Array, options?: SendOptions): Promise<Sent>;
  /** Sends a message to the queues that the exchange routes it to. */
  publish(exchange: string, routingKey: string, body?: string | Uint8Array, options?: PublishOptions): Promise<Sent>;
  /** Hands out the next messages of a queue, each to one consumer until it ends its lease. */
  acquire(options?: AcquireOptions): Promise<Acquired>;
  /** Hands out this message, also before its date, parked, or on a paused queue. */
  acquireMessage(
    message: Pick<QueueMessage, 'message'> | number | bigint,
    options?: QueueAcquireMessageOptions,
  ): Promise<Acquired>;
  /** Renews a lease, and takes it over on a new connection. Resolves with the date: when the lease is over. The lease
   * moves to this connection. */
  touch(message: LeasedMessage, options?: QueueTouchOptions): Promise<number>;
  /** The message is dealt with: it leaves its queue. */
  accept(message: LeasedMessage, limits?: Limits): Promise<void>;
  /** Gives a message back to its place in the queue, as redelivered. With an error it is a failed delivery: after the
   * last one it is dead. */
  release(message: LeasedMessage, options?: QueueReleaseOptions): Promise<ReturnedMessage>;
  /** The message can never be dealt with: it goes to the queue's dead letters at once, or is parked where there are
   * none. */
  reject(message: LeasedMessage, error?: string, options?: QueueRejectOptions): Promise<ReturnedMessage>;
  /** Puts a message aside: it stays on its queue, parked, until somebody kicks, moves or removes it. No failed delivery
   * is counted. */
  park(message: LeasedMessage, options?: QueueParkOptions): Promise<ReturnedMessage>;
  /** Shows messages of a queue by their number, without taking them. */
  browse(options?: QueueBrowseOptions): AsyncGenerator<QueueMessage, void, void>;
  /** How many messages of a queue, or of the table, are in a state, counted page by page. Resolves with how many. */
  count(options?: QueueCountOptions): Promise<number>;
  /** Shows one message, or a part of its body. */
  read(message: Pick<QueueMessage, 'message'> | number | bigint, options?: QueueReadOptions): Promise<QueueMessage>;
  /** Shows the first message of a queue in a state, without taking it: the one that would be handed out, come to its
   * date, or be kicked next. */
  peek(queue: string, options?: QueuePeekOptions): AsyncGenerator<QueueMessage, void, void>;
  /** Says in a sentence, and in parameters for programs, why a message is where it is. */
  why(message: Pick<QueueMessage, 'message'> | number | bigint, limits?: Limits): Promise<Reason>;
  /** Shows the queues with what is on them, in the order of their names. */
  queues(options?: QueueQueuesOptions): AsyncGenerator<Queue, void, void>;
  /** Shows the exchanges, in the order of their names. */
  exchanges(options?: QueueExchangesOptions): AsyncGenerator<Exchange, void, void>;
  /** Shows the bindings by their number. */
  bindings(options?: QueueBindingsOptions): AsyncGenerator<Binding, void, void>;
  /** Makes a queue, or changes its options; or makes an exchange. What is absent stays as it is. Resolves with: 'made',
   * 'changed' or 'unchanged'. */
  declare(queue: string, options?: QueueOptions): Promise<'made' | 'changed' | 'unchanged'>;
  /** Makes an exchange of this kind. Resolves with: 'made', 'changed' or 'unchanged'. */
  declareExchange(
    exchange: string,
    kind: 'direct' | 'fanout' | 'topic',
    limits?: Limits,
  ): Promise<'made' | 'unchanged'>;
  /** Removes a queue with its messages and bindings, or an exchange with its bindings. `not_found`, also if it was sent
   * again after a loss and carried out before. */
  remove(queue: string, options?: QueueRemoveOptions): Promise<void>;
  /** Removes an exchange with its bindings. */
  removeExchange(exchange: string, limits?: Limits): Promise<void>;
  /** From now on the exchange routes to the queue what fits. Resolves with: 'made' or 'unchanged'. */
  bind(exchange: string, queue: string, options?: QueueBindOptions): Promise<'made' | 'unchanged'>;
  /** Ends a binding; messages on the queue stay. */
  unbind(exchange: string, queue: string, options?: QueueUnbindOptions): Promise<void>;
  /** Drops messages of a queue that are not acquired. Resolves with how many. */
  purge(queue: string, options?: QueuePurgeOptions): Promise<number>;
  /** Moves messages of a queue that are not acquired to another queue, in their order and with their attempts reset:
   * dead letters back to work; or parked ones of a queue back to its front. Without `to` each dead letter goes back to
   * the queue on which it died, in the order of their numbers; others stay. Resolves with how many. After a
   * ClosedError call it again: what was moved is no longer there. */
  move(queue: string, to: string, options?: QueueMoveOptions): Promise<number>;
  /** Moves dead letters of a queue back to the queues on which they died, with their attempts reset. Resolves with how
   * many. */
  moveBack(queue: string, options?: QueueMoveBackOptions): Promise<number>;
  /** Puts a message back to work: a parked one, with its attempts reset; one that waits for its date; or one that a
   * consumer has, whose lease is taken back and who is refused from then on. Or so many of a queue: the parked ones;
   * those that wait for their date only if none is parked. */
  kick(message: Pick<QueueMessage, 'message'> | number | bigint, options?: QueueKickOptions): Promise<void>;
  /** Puts messages of a queue back to work: the parked ones; those that wait for their date only if none is parked.
   * Resolves with how many. */
  kickQueue(queue: string, options?: QueueKickQueueOptions): Promise<number>;
  /** Removes a message that no consumer has. */
  delete(message: Pick<QueueMessage, 'message'> | number | bigint, limits?: Limits): Promise<void>;
  /** Nothing of a queue is handed out any more; leases go on, messages are taken. A queue that is paused already gets
   * the new date; one that its first use makes is made. Resolves with: 'changed' or 'unchanged'. */
  pause(queue: string, options?: QueuePauseOptions): Promise<'changed' | 'unchanged'>;
  /** Ends a PAUSE; who waits for messages is told. Resolves with: 'changed' or 'unchanged'. */
  resume(queue: string, limits?: Limits): Promise<'changed' | 'unchanged'>;
  /** Figures by their names in STATS (not in camel case). */
  stats(limits?: Limits): Promise<Params>;
}
