import {
  type Adjusted,
  adjustmentText,
  balanceEditOf,
  withNote,
} from '@tollgate/domain/account/adjustment.ts'
import type { AccountEvent, QuotaCredited, QuotaDebited } from '@tollgate/domain/account/events.ts'
import { numberOfStream, type RecordedEvent } from '@tollgate/domain/event.ts'
import { notationOf, quotaFigure, type QuotaNotation } from '@tollgate/domain/quota-text.ts'
import type { OptionsView } from '@tollgate/domain/settings/options.ts'
import type { EventTriggeredWorkflow } from './manager/workflow.ts'
import type { AdjustmentNotes } from '../identity/adjustment-notes.ts'
import type { Notifier } from '../notifications/notifier.ts'

export interface AdjustmentNoticeDeps {
  readonly notifier: Notifier
  readonly notes: Pick<AdjustmentNotes, 'byIds'>
  readonly options: { readonly current: () => OptionsView }
}

const TITLE = '您的额度已被管理员调整'
const ENGLISH_TITLE = 'An administrator has changed your quota'

/**
 * Tells a user that an administrator has changed their balance. The log row of type 3 needs no step: the usage log
 * derives it from the adjustment itself.
 */
export const adjustmentNotice = ({
  notifier,
  notes,
  options,
}: AdjustmentNoticeDeps): EventTriggeredWorkflow => ({
  from: 'event',
  kind: 'quota-adjustment',
  streamPrefixes: ['account-'],
  eventTypes: ['QuotaCredited', 'QuotaDebited'],
  isDecidedBy: (event) => isAdjustment(event),
  steps: (event) => {
    if (!isAdjustment(event)) throw new TypeError(`${event.type} is no adjustment`)
    const notation = notationOf(options.current())
    return [
      {
        name: 'notify the user',
        act: async () => {
          const id = balanceEditOf(event.data.adjustment)?.note ?? null
          const note = id === null ? '' : ((await notes.byIds([id])).get(id) ?? '')
          const adjusted = { ...event.data, isCredit: event.type === 'QuotaCredited' }
          await notifier.notify({
            userId: numberOfStream(event.stream),
            type: 'quota_adjusted',
            causationId: event.id,
            title: TITLE,
            content: '{{value}}：{{value}}',
            values: [TITLE, withNote(adjustmentText(adjusted, notation), note)],
            english: {
              title: ENGLISH_TITLE,
              content: '{{value}}: {{value}}',
              values: [ENGLISH_TITLE, englishTextOf(adjusted, note, notation)],
            },
            at: event.data.at,
          })
        },
      },
    ]
  },
})

type Adjustment = RecordedEvent & (QuotaCredited | QuotaDebited)

/** Beginning of the causation ids that name a user's row. */
const USER_ROWS = 'identity.users/'

/** Grants and debits by a person; the opening quota of an account is the system's, or names its row as the cause. */
function isAdjustment(recorded: RecordedEvent): recorded is Adjustment {
  const event = recorded as RecordedEvent & AccountEvent
  const { actor, causationId } = event.metadata
  const isOpening = causationId?.startsWith(USER_ROWS) === true
  if (!actor.startsWith('user:') || isOpening) return false
  return (
    event.type === 'QuotaDebited' ||
    (event.type === 'QuotaCredited' && event.data.source === 'grant')
  )
}

function englishTextOf(
  { isCredit, amount, adjustment }: Adjusted,
  note: string,
  notation: QuotaNotation,
): string {
  if (adjustment === undefined) {
    return `${isCredit ? 'added' : 'taken away'}: ${quotaFigure(amount, notation)}`
  }
  if ('legacyText' in adjustment) return adjustment.legacyText
  const { from, to } = adjustment
  const change = `from ${quotaFigure(from, notation)} to ${quotaFigure(to, notation)}`
  return note === '' ? change : `${change}; reason: ${note}`
}
