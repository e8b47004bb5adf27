// Made by ./mk generate from plugins/pipeline/pipeline.xml and clients/calls/pipeline.toml: do not edit.
import type { HandedOut, LeasedDocument, Limits, Params, PipelineDocument, ShownDocument, Wish } from '../index.js';

/** A destination. */
export interface Destination {
  /** The table. */
  table: string;
  /** The destination. */
  destination: string;
  /** At-most-once or at-least-once. */
  guarantee: string;
  /** 'open', 'probing' (paused, as too much failed there) or 'shut'. */
  mode: 'open' | 'probing' | 'shut';
  /** Why it is not open. */
  reason: string;
  /** Documents found, and to be brought there. */
  processing: number;
  /** Documents to be brought there again. */
  restart: number;
  /** Documents to be brought there again if changed. */
  dirty: number;
  /** Documents to be sent again. */
  force: number;
  /** Documents that failed, and rest. */
  error: number;
  /** Documents in batches of workers. */
  batched: number;
  /** Documents being sent, but for those in doubt. */
  sending: number;
  /** Documents that have arrived. */
  sent: number;
  /** Documents that were dropped. */
  dropped: number;
  /** Documents that failed too often. */
  dead: number;
  /** Documents that failed for good. */
  errorDoc: number;
  /** Documents that were being sent, and nobody knows whether they arrived. */
  inDoubt: number;
  /** Of all these, documents that workers have for it. */
  withWorkers: number;
  /** Its output in the plan. */
  step?: string;
  /** The successors of duplicating routers by which copies arrive there, between blanks. */
  branches: string[];
}

/** What became of a document. */
export interface PipelineEvent {
  /** The table. */
  table: string;
  /** Its number since the start of the daemon. */
  event: number;
  /** When it was. */
  date: number;
  /** Found, changed, `handedOut`, routed, `childrenDone`, `inDoubt`, forgotten, mode (of a destination), drains,
   * resumed (of the table), or the state that it came into. */
  what: string;
  /** The document's number. */
  document?: number | bigint;
  /** Where it is, or a child's name; absent if it was forgotten since. */
  uri?: string;
  /** Of its content then. */
  hash?: string;
  /** Delete: its source did not have it any more; absent of all others. */
  operation?: 'delete';
  /** Its version: how often it had changed by then, of a child its original; absent if never. */
  generation?: number;
  /** Of a child: the document that it was made of. */
  parent?: number | bigint;
  /** Of a child: the document of the source that it was made of. */
  original?: number | bigint;
  /** The destination; absent of what concerns the whole document. */
  destination?: string;
  /** Who has it, or had it. */
  worker?: string;
  /** So far. */
  failures?: number;
  /** Of a failure. */
  kind?: string;
  /** What went wrong. */
  error?: string;
  /** Why it was dropped, or why a destination is not open. */
  reason?: string;
  /** Who chose. */
  router?: string;
  /** Names of steps, between blanks. */
  chosen: string[];
  /** Of a destination: open, probing or shut. */
  mode?: 'open' | 'probing' | 'shut';
  /** Of `childrenDone`: how many there are. */
  children?: number;
  /** Who drains the table. */
  by?: string;
}

/** A version of the plan. */
export interface Plan {
  /** The table. */
  table: string;
  /** Its name. */
  plan: string;
  /** Its version. */
  version: number;
  /** Documents that were found by it, children among them. */
  documents: number;
  /** `true`: documents are found by this one. */
  newest: boolean;
  /** What it says, in one line, for programs. */
  text: string;
  /** The same as the file of a plan. */
  xml: string;
}

/** A source or step of the plan. */
export interface Step {
  /** The table. */
  table: string;
  /** The plan's name. */
  plan: string;
  /** Of the plan. */
  version: number;
  /** Its name. */
  step: string;
  /** 'source', 'safe', 'idempotent' or 'potent'. */
  kind: 'source' | 'safe' | 'idempotent' | 'potent';
  /** 'mutating' or 'preserving'. */
  effect?: 'mutating' | 'preserving';
  /** The sources and steps before it, between blanks. */
  behind?: string;
  /** By-name, duplicate-all or round-robin, where several steps are behind it. */
  router?: string;
  /** Of by-name: how many successors a document may get. */
  copiesMax?: number;
  /** Of an output: at-most-once or at-least-once. */
  guarantee?: string;
  /** `true`: of an output: one delivery is enough, whatever its path. */
  anyPath: boolean;
}

/** No worker has it any more. */
export interface KickedDocument {
  /** The table. */
  table: string;
  /** The document's number. */
  document: number | bigint;
  /** How many leases were taken back: one for each destination, and one for a run for its children. */
  count: number;
  /** Of these, destinations where it is in doubt now; absent: none. */
  inDoubt?: number;
}

export interface FoundOptions extends Limits {
  /** `true`: the source does not have it any more (deleted="tell" in the plan): it is to be deleted at each
   * destination; without hash. */
  gone?: boolean;
  /** `false`: it is left to those who say NEXT. Default: true. */
  handOut?: boolean;
  /** `true`: says in `change` what would come of it, and changes nothing. */
  dryRun?: boolean;
  /** How long the worker may take. From the table's processing-timeout-min to its processing-timeout-max. Default: the
   * table's processing-timeout. */
  lease?: number;
  /** The worker's name, for people; peer address and connection if absent. At most 256 bytes. */
  worker?: string;
}

export interface NextDocumentsOptions extends Limits {
  /** Of this source only. */
  source?: string;
  /** That are missing at this destination, and for it alone. */
  destination?: string;
  /** How many documents at most. 1 to 1024. Default: 1. */
  count?: number;
  /** How long the worker may take. From the table's processing-timeout-min to its processing-timeout-max. Default: the
   * table's processing-timeout. */
  lease?: number;
  /** How long to wait for a document when there is none; needs request. 0 to 86400000. Default: 0. */
  wait?: number;
  /** The worker's name, for people; peer address and connection if absent. At most 256 bytes. */
  worker?: string;
}

export interface PipelineDroppedOptions extends Limits {
  /** The destination; all of this lease if absent. */
  destination?: string;
  /** Why, for people. At most 1 KiB of it are kept. */
  reason?: string;
}

export interface PipelineDocumentsOptions extends Limits {
  /** 'stranded' (missing, and nobody has them), or all that are in this state. */
  status?:
    | 'all'
    | 'stranded'
    | 'open'
    | 'failed'
    | 'in_doubt'
    | 'orphans'
    | 'done'
    | 'processing'
    | 'restart'
    | 'dirty'
    | 'force'
    | 'error'
    | 'batched'
    | 'sending'
    | 'sent'
    | 'dropped'
    | 'dead'
    | 'error_doc';
  /** Of this source only. */
  source?: string;
  /** In that state at this destination. */
  destination?: string;
  /** Of this version of the plan; the newest if absent. 1 to 1000000000. */
  version?: number;
  /** Of a page: how many documents at most. 1 to 1000. Default: 100. */
  count?: number;
}

export interface PipelineDestinationsOptions extends Limits {
  /** This one only. */
  destination?: string;
  /** Those of this source only, and its documents. */
  source?: string;
  /** Of this version of the plan; the newest if absent. 1 to 1000000000. */
  version?: number;
}

export interface PipelineHistoryOptions extends Limits {
  /** Of this one only. */
  document?: Pick<PipelineDocument, 'document'> | number | bigint;
  /** `true`: of this one, and of all that was made of it. */
  children?: boolean;
  /** Of a page: how many events at most. 1 to 1000. Default: 100. */
  count?: number;
}

export interface PipelineStepsOptions extends Limits {
  /** Of this version of the plan; the newest if absent. 1 to 1000000000. */
  version?: number;
  /** Of a page: how many at most. 1 to 1000. Default: 100. */
  count?: number;
}

export interface PipelinePauseOptions extends Limits {
  /** Why, for people. At most 1 KiB of it are kept. */
  reason?: string;
}

export interface PipelineKickOptions extends Limits {
  /** Only what is to be brought there. */
  destination?: string;
}

/** The commands of one pipeline table. */
export interface DocumentCalls {
  readonly table: string;
  /** A source has a document: it is new, has changed, is missing somewhere, or is complete. What is missing is handed
   * to whoever found it. */
  found(source: string, uri: string, hash?: string, options?: FoundOptions): Promise<PipelineDocument>;
  /** Hands out documents that are missing somewhere and that nobody has: after a crash, after a rest, or as their
   * finder left them. */
  next(options?: NextDocumentsOptions): Promise<HandedOut>;
  /** The document has arrived at a destination. Resolves with: the state now. */
  sent(document: LeasedDocument, destination: string, limits?: Limits): Promise<string>;
  /** The document is not to be brought to a destination, or to none of those that the worker has it for. */
  dropped(document: LeasedDocument, options?: PipelineDroppedOptions): Promise<void>;
  /** A router chose where the document goes: destinations that it cannot reach any more are dropped. Resolves with: of
   * DROPPED and ROUTED: the destinations where it was dropped, between blanks. */
  routed(document: LeasedDocument, router: string, chosen: Iterable<string>, limits?: Limits): Promise<string[]>;
  /** So many children were made of a document, and there are no more: without this it is not done. `count`: how many. 0
   * to 1000000000. */
  childrenDone(document: LeasedDocument, count: number, limits?: Limits): Promise<void>;
  /** The worker gives a document back, but for what it is sending: it is handed out to another, and nothing is
   * counted. */
  release(document: LeasedDocument, limits?: Limits): Promise<void>;
  /** Shows documents and what is known of them at each destination. */
  documents(options?: PipelineDocumentsOptions): AsyncGenerator<ShownDocument, void, void>;
  /** Shows the destinations with their documents by state. */
  destinations(options?: PipelineDestinationsOptions): AsyncGenerator<Destination, void, void>;
  /** Says in sentences why a document is where it is. */
  why(
    document: Pick<PipelineDocument, 'document'> | number | bigint,
    limits?: Limits,
  ): Promise<{ document: number | bigint; states: string; text: string }>;
  /** Shows what has become of documents, one event after the other, as far as `history` reaches back. */
  history(options?: PipelineHistoryOptions): AsyncGenerator<PipelineEvent, void, void>;
  /** Shows the sources and steps of the plan, in the order of its file. */
  steps(options?: PipelineStepsOptions): AsyncGenerator<Step, void, void>;
  /** Tries again what failed, with its failures forgotten: what is dead or failed for good, and what rests if its
   * document or status=error is given. Resolves with how many. */
  retry(options?: Wish & { ifChanged?: boolean }): Promise<number>;
  /** Sends again, whatever the state: also what has arrived. Resolves with how many. */
  force(options?: Wish): Promise<number>;
  /** Drops what has not arrived. Resolves with how many. */
  drop(options?: Wish): Promise<number>;
  /** Says of what is in doubt whether it arrived: sent, or failed, and then it is sent again. Resolves with how
   * many. */
  resolve(outcome: 'sent' | 'failed', options?: Wish): Promise<number>;
  /** Shuts a destination: nothing is handed out for it. */
  pause(destination: string, options?: PipelinePauseOptions): Promise<void>;
  /** Opens a destination that was shut, or that was paused as too much failed there; without one it ends a DRAIN. */
  resume(destination: string, limits?: Limits): Promise<void>;
  /** Takes a document from the workers that have it: it is handed out again, and nothing is counted; their reports are
   * refused from then on. What is being sent where it may arrive once at most is in doubt. */
  kick(
    document: Pick<PipelineDocument, 'document'> | number | bigint,
    options?: PipelineKickOptions,
  ): Promise<KickedDocument>;
  /** Figures by their names in STATS (not in camel case). */
  stats(limits?: Limits): Promise<Params>;
}
