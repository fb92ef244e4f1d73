import type { Adjustment } from '@tollgate/domain/account/adjustment.ts'
import { distinctIds, type Names } from '../http/names.ts'
import { actingUserId } from '../journal/journal-answers.ts'
import type { LineAnswer } from './answers.ts'
import type { StatementLine } from './lines.ts'
import type { PostedEvent } from './postings.ts'
import { serviceTimes, type ServiceSource } from './service-times.ts'

/** Lines as an answer has them. Users see neither channels nor which administrator it was. */
export async function tellLines(
  names: Pick<Names, 'tokens' | 'users' | 'notes'>,
  source: ServiceSource,
  lines: readonly StatementLine[],
  isAdministrator: boolean,
): Promise<readonly LineAnswer[]> {
  const actors = isAdministrator ? lines.flatMap(actorsOf) : []
  const [tokens, users, notes, services] = await Promise.all([
    names.tokens(distinctIds(lines.map((line) => line.token_id))),
    names.users(distinctIds(actors)),
    names.notes(lines.flatMap((line) => (line.type === 'event' ? noteIdsOf(line) : []))),
    serviceTimes(source, lines),
  ])
  return lines.map((line): LineAnswer => {
    const token_name = tokens.get(line.token_id) ?? ''
    if (line.type === 'sum') {
      const { source, ...rest } = line
      return { ...rest, kind: source, token_name }
    }
    return {
      type: 'event',
      position: line.position,
      at: line.effective_at,
      dated: line.at,
      kind: line.source,
      event_id: line.event_id,
      event_type: line.event_type,
      reference: line.request_id === '' ? referenceOf(line) : line.request_id,
      actor: isAdministrator ? line.actor : '',
      actor_name: users.get(actingUserId(line.actor)) ?? '',
      token_id: line.token_id,
      token_name,
      channel: isAdministrator ? line.channel : 0,
      model: line.model,
      facts: {
        reason: line.reason,
        adjustment: toldAdjustment(line, notes),
        late: line.late === 1,
        service_at: services.get(line.position) ?? null,
      },
      credit: Math.max(line.change, 0),
      debit: Math.max(-line.change, 0),
      held_change: line.held_change,
      balance: line.posted,
    }
  })
}

/** Code, order (its reason names the money paid, too) or invitee; grants and sign-ups have none. */
const referenceOf = ({ source, reason }: PostedEvent): string => {
  if (source === 'top-up') return reason.split(' ', 1)[0] ?? ''
  return source === 'redemption' || source === 'affiliate-reward' ? reason : ''
}

const actorsOf = (line: StatementLine): readonly number[] =>
  line.type === 'event' ? [actingUserId(line.actor)].filter((id) => id > 0) : []

const adjustmentOf = ({ adjustment }: PostedEvent): Adjustment | null =>
  adjustment === '' ? null : (JSON.parse(adjustment) as Adjustment)

function noteIdsOf(event: PostedEvent): readonly string[] {
  const adjustment = adjustmentOf(event)
  if (adjustment === null || 'legacyText' in adjustment || adjustment.note === null) return []
  return [adjustment.note]
}

function toldAdjustment(
  event: PostedEvent,
  notes: ReadonlyMap<string, string>,
): Extract<LineAnswer, { type: 'event' }>['facts']['adjustment'] {
  const adjustment = adjustmentOf(event)
  if (adjustment === null) return null
  if ('legacyText' in adjustment) return { legacy_text: adjustment.legacyText }
  const { from, to, reasonCode, note } = adjustment
  return { from, to, reason_code: reasonCode, note: note === null ? '' : (notes.get(note) ?? '') }
}
