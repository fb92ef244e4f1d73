/** A word that this project no longer uses for something, and the term to use for it. */
export interface OldWord {
  /** Words of a name, lower case, joined by a space: `hold desk` is found in `HoldDesk` and in `hold-desk.ts`. */
  readonly old: string
  readonly use: string
  /** The one folder where the word had a meaning of ours; default everywhere. */
  readonly onlyIn?: string
  /** Folders where the word still means what a dictionary says. */
  readonly exceptIn?: readonly string[]
}

/** The one table of names: found in declared names and in names of files and folders. */
export const OLD_NAMES: readonly OldWord[] = [
  {
    old: 'side',
    use: 'composition, Composed…',
    exceptIn: ['console/', 'tests/', 'relay/metering/'],
  },
  { old: 'sides', use: 'composition', exceptIn: ['console/'] },
  { old: 'world', use: 'runtime' },
  { old: 'process kind', use: 'Workflow' },
  { old: 'process manager', use: 'WorkflowManager' },
  { old: 'decided kind', use: 'EventTriggeredWorkflow' },
  { old: 'row kind', use: 'RowRecovery' },
  { old: 'desk', use: 'service' },
  { old: 'takes', use: 'DeliveryHandler', onlyIn: 'infra/bus/' },
  { old: 'wire', use: 'message, schema, entity', exceptIn: ['infra/event-store/eventstoredb/'] },
  {
    old: 'letter',
    use: 'MailboxEntry, entry',
    exceptIn: ['domain/', 'console/', 'relay/', 'tests/browser/'],
  },
  // The field of requests over NATS keeps its name.
  { old: 'only once', use: 'Deduplication', exceptIn: ['infra/bus/nats/'] },
  { old: 'caused before', use: 'ProcessedCauses' },
  { old: 'heard holds', use: 'HoldLiveness' },
  { old: 'doubt', use: 'invalidate' },
  { old: 'doubts', use: 'invalidates' },
  { old: 'doubted', use: 'invalidated' },
  { old: 'doubtful', use: 'uncertain' },
  { old: 'riding', use: 'inlineSnapshot' },
  { old: 'owes balance', use: 'snapshotPending' },
  { old: 'standing', use: 'status' },
  { old: 'unfit', use: 'invalid' },
  { old: 'astray', use: 'unroutable' },
  { old: 'nearby', use: 'local' },
  { old: 'distant', use: 'remote' },
  { old: 'not alone', use: 'DatabaseInUse' },
  { old: 'away', use: 'unavailable', exceptIn: ['console/'] },
  { old: 'overdue', use: 'deadlineExceeded, late' },
  { old: 'is passing', use: 'isTransient' },
  { old: 'when there', use: 'waitFor…' },
  { old: 'unfed', use: 'withoutProjector' },
  { old: 'asking', use: 'rpcClient', onlyIn: 'infra/bus/' },
  { old: 'pulling', use: 'pullConsumer', onlyIn: 'infra/bus/' },
  { old: 'parcel', use: 'chunk' },
  { old: 'parcels', use: 'chunksByPartition' },
  { old: 'patient pool', use: 'batchPool' },
  { old: 'errand', use: 'request' },
  { old: 'newcomer', use: 'SignUp' },
  { old: 'forgetting', use: 'erasure' },
  { old: 'sweeper', use: 'orphanRecovery' },
  { old: 'purse', use: 'HoldPool' },
  { old: 'kept hold', use: 'LocalHold' },
  { old: 'held drawing', use: 'HeldReservation' },
  { old: 'lane', use: 'group' },
  { old: 'stretch', use: 'range, LogRange', exceptIn: ['console/'] },
  { old: 'walker', use: 'walk' },
  { old: 'reckoning', use: 'ExpectedModel' },
  { old: 'reckon', use: 'expect' },
  { old: 'reckoned', use: 'expected' },
  { old: 'ground', use: 'fixture' },
  { old: 'furnish', use: 'seed' },
  { old: 'furnished', use: 'seeded' },
  { old: 'mortal', use: 'crashable' },
  { old: 'drama', use: 'faultSchedule' },
  { old: 'mishap', use: 'fault' },
  { old: 'mishaps', use: 'faults' },
]

/** Verbs at the head of a name, before another word: `whyRefused`, `sayVerified`. */
export const OLD_HEADS: readonly OldWord[] = [
  { old: 'why', use: '…Problem, or a result type' },
  { old: 'say', use: 'format…, log…' },
  { old: 'hear', use: 'heartbeat, receive…' },
]

/** Openings of a comment: the subject comes first and is a named component, role or thing. */
export const OLD_OPENINGS: readonly OldWord[] = [
  { old: 'Whoever', use: 'the role: the caller, an operator' },
  { old: 'Who', use: 'the role: the caller, an operator' },
  { old: 'What', use: 'the thing by its name' },
  { old: 'Of', use: 'the thing by its name' },
]
