import { type Position, SETTINGS_STREAM, type WrittenEvent } from '@tollgate/domain/event.ts'
import type { NoteId } from '@tollgate/domain/ids.ts'
import { ruleOf } from '@tollgate/domain/settings/catalogue.ts'
import {
  normalisedOption,
  settingsDecider,
  type SettingsRejection,
} from '@tollgate/domain/settings/decider.ts'
import {
  type AggregateOptions,
  type AggregateWriter,
  decideOn,
  executeOn,
  loadAggregate,
} from '../aggregates/aggregate.ts'
import type { CommandCause } from '../aggregates/cause.ts'
import type { OptionSecrets } from '../secrets/option-secrets.ts'

export interface OptionDeps extends AggregateWriter {
  readonly secrets: OptionSecrets
}

export type ChangedOption =
  | {
      readonly status: 'done'
      readonly position: Position
      /** False when it stood at this text already, or the call is a repetition. */
      readonly isChanged: boolean
    }
  | { readonly status: 'rejected'; readonly rejection: SettingsRejection }

interface OptionWish {
  readonly key: string
  readonly text: string
  /** Why, in the administrator's own words; absent = not said. */
  readonly note?: NoteId | null
}

/**
 * Sets one option. A secret's text goes into `secrets.options` before the event, which only says that it changed; an
 * empty text keeps the stored one.
 */
export async function changeOption(
  deps: OptionDeps,
  { key, text, note = null }: OptionWish,
  cause: CommandCause,
  { isOnce = false }: AggregateOptions = {},
): Promise<ChangedOption> {
  const command = { type: 'ChangeOption', key, text, note } as const
  if (ruleOf(key).isSecret) {
    let isRepeated = false
    const see = ({ metadata: { causationId } }: WrittenEvent): void => {
      isRepeated ||= isOnce && causationId !== null && causationId === cause.causationId
    }
    const settings = await loadAggregate(deps.store, SETTINGS_STREAM, settingsDecider, { see })
    // A newer secret may stand in the table by now.
    if (isRepeated) return { status: 'done', position: settings.position, isChanged: false }
    // Decided beforehand, so that a refused text never reaches the table.
    const decision = decideOn(deps.clock, settingsDecider, settings, command)
    if (decision.status === 'rejected') return decision
    if (decision.events.length === 0)
      return { status: 'done', position: settings.position, isChanged: false }
    await deps.secrets.put(key, normalisedOption(key, text))
  }
  const outcome = await executeOn(
    deps,
    { stream: SETTINGS_STREAM, decider: settingsDecider, command },
    cause,
    {
      isOnce,
    },
  )
  if (outcome.status === 'rejected') return outcome
  return {
    status: 'done',
    position: outcome.position,
    isChanged: outcome.events.some(({ data }) => 'note' in data && data.note === note),
  }
}
