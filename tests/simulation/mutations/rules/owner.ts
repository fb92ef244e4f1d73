import { broken, edit, type Mutation } from '../mutation.ts'
import { ADMIN, BATCH, PROCESSED_CAUSES, LEDGER, LOAD, OWNERSHIP, RECENT, WRITE } from './files.ts'
import { BELIEVES_READER } from './believes-reader.ts'

/** The account's owner, rules 1 to 4 of architecture 6. */
export const ownerMutations: readonly Mutation[] = [
  broken(
    '1',
    'two-batches',
    'two batches of an account at a time',
    edit(
      LEDGER,
      'resident.queue.push(entry)\n    if (!resident.isBusy) void',
      'resident.queue.push(entry)\n    void',
    ),
  ),
  broken(
    '1',
    'command-to-all',
    'a command reaches every process that believes to own',
    edit(
      ADMIN,
      'to: () => (owner === null ? [] : [owner.machine])',
      'to: () => [first, ...others].flatMap((one) => (one === undefined ? [] : [one.machine]))',
    ),
    edit(
      ADMIN,
      'hear: async () => {\n        const services = owner?.services() ?? null',
      'hear: async (heard) => {\n        const services = [first, ...others].find((one) => one?.machine === heard)?.services() ?? null',
    ),
  ),
  broken(
    '2',
    'old-decision',
    'after a conflict the old decision at the new revision',
    edit(
      WRITE,
      'const appended = await appendUntilKnown(writer, decision, decided.events, head)',
      `let appended = await appendUntilKnown(writer, decision, decided.events, head)
    while (appended === null) {
      const { head: newest } = await decision.load()
      appended = await appendUntilKnown(writer, decision, decided.events, newest)
    }`,
    ),
  ),
  broken(
    '2',
    'new-ids',
    'unknown outcome: appended again with new ids',
    edit(
      WRITE,
      'return await store.append(stream, events, head)',
      'return await store.append(stream, events.map((event) => ({ ...event, id: `${event.id}${failures}` })), head)',
    ),
  ),
  broken(
    '2',
    'taken-for-success',
    'unknown outcome taken for success',
    edit(
      WRITE,
      'if (error instanceof RevisionConflict) return null',
      `if (error instanceof RevisionConflict) return null
      if (error instanceof StoreUnavailable && error.outcome === 'unknown') {
        return { head: { revision: head.revision + events.length, hash: '' }, position: 0 }
      }`,
    ),
  ),
  broken(
    '3',
    'answered-early',
    'answered before the append',
    edit(
      LEDGER,
      'const inlineSnapshot = this.#inlineSnapshot(resident, loaded, decided, at)',
      'for (const answer of decided.answers) answer(loaded.position)\n        const inlineSnapshot = this.#inlineSnapshot(resident, loaded, decided, at)',
    ),
  ),
  broken(
    '3',
    'refusal-unconfirmed',
    'a refusal is not confirmed against the head',
    edit(BATCH, 'needsConfirming = true\n      return', 'return'),
  ),
  broken(
    '3',
    'repetition-unconfirmed',
    'an answer without events is not confirmed against the head',
    edit(BATCH, 'if (decided.length === 0) needsConfirming = true', ''),
  ),
  broken(
    '3',
    'memory-kept',
    'memory is kept after a conflict',
    edit(LEDGER, 'if (isAgain) resident.loaded = null', ''),
  ),
  broken(
    '3',
    'not-doubted',
    'memory is not doubted at a take-over',
    edit(OWNERSHIP, 'ledger.invalidate((account) => nameOf(partitionOf(account)) === name)', ''),
  ),
  broken(
    '3',
    'own-clock',
    'dated by the owner’s clock alone',
    edit(WRITE, 'at: Math.max(clock.now(), at)', 'at: Math.max(clock.now(), 0 * at)'),
  ),
  broken(
    '3',
    'time-forgotten',
    'the time of the stream’s last event is not read',
    edit(LOAD, 'at = Math.max(at, event.data.at)', ''),
  ),
  broken(
    '4',
    'step-again',
    'a step is not looked for in the stream',
    edit(BATCH, 'if (caused.has(entry)) return', 'if (false) return'),
  ),
  broken(
    '4',
    'step-by-read',
    'a step is looked for by a read alone',
    edit(
      PROCESSED_CAUSES,
      'const remembered = causes.find(sought)',
      'const remembered = null as boolean | null',
    ),
    ...BELIEVES_READER,
  ),
  broken(
    '4',
    'causes-not-carried',
    'a balance is carried forward without the causes before it',
    edit(RECENT, "fingerprints: [...fingerprints].join('')", "fingerprints: ''"),
  ),
]
