import { broken, edit, type Mutation } from '../mutation.ts'
import { HOLD_SERVICE, KEEPER, PUBLISHER, EVENT_APPLIER } from './files.ts'

/** Usage on its way into the log, rule 12, and read models behind it. */
export const journalMutations: readonly Mutation[] = [
  broken(
    '12',
    'acknowledged-early',
    'acknowledged before the append',
    edit(
      HOLD_SERVICE,
      'await Promise.all([charging, this.#releaseIfNamed(hold)])',
      'Promise.all([charging, this.#releaseIfNamed(hold)]).catch(() => undefined)',
    ),
  ),
  broken(
    '12',
    'ended-early',
    'the answer ends before its charge is acknowledged',
    edit(
      KEEPER,
      "return this.#publisher.publish({ type: 'usage', ...charge })",
      "void this.#publisher.publish({ type: 'usage', ...charge })\n    return Promise.resolve()",
    ),
  ),
  broken(
    '12',
    'unanswered-is-taken',
    'a journal that does not answer counts as having it',
    edit(PUBLISHER, 'if (isTransient(error)) return false', 'if (isTransient(error)) return true'),
  ),
  broken(
    '12',
    'numbered-anew',
    'numbered anew when published again',
    edit(
      PUBLISHER,
      'await this.#isTaken(pending, failures > 1)',
      'await this.#isTaken({ ...pending, message: { ...message, sequence: message.sequence + failures - 1 } }, failures > 1)',
    ),
  ),
  broken(
    '–',
    'skipped',
    'the checkpoint moves without the work',
    edit(
      EVENT_APPLIER,
      'if (events.length > 0) await projector.handle',
      'if (events.length > 0 && (events[0]?.position ?? 0) % 40 > 0) await projector.handle',
    ),
  ),
]
