import type { DecisionContext } from '@tollgate/domain/decision.ts'
import type { RevisePrices } from '@tollgate/domain/settings/decide-prices.ts'
import { decideSettings, evolveSettings } from '@tollgate/domain/settings/decider.ts'
import type { SettingsEvent } from '@tollgate/domain/settings/events.ts'
import type { SettingsRecord } from '@tollgate/domain/settings/price-history.ts'
import { NO_SETTINGS, type SettingsState } from '@tollgate/domain/settings/state.ts'

const context = (at: number): DecisionContext => ({ at, nextRevision: 0 })

/** A log of settings with a clock that each step names, decided by `decideOne`. */
export function openSettingsLog(decideOne: typeof decideSettings = decideSettings) {
  let state: SettingsState = NO_SETTINGS
  const events: SettingsRecord[] = []
  function record(event: SettingsEvent): void {
    state = evolveSettings(state, event)
    events.push({ ...event, position: events.length * 10 })
  }
  function decide(at: number, command: Parameters<typeof decideSettings>[1]) {
    const decision = decideOne(state, command, context(at))
    if (decision.status === 'rejected') return decision.rejection.reason
    decision.events.forEach(record)
    return decision.events
  }
  return {
    decide,
    /** Puts an event into the log that nobody decides. */
    record,
    events,
    state: () => state,
    table: (key: 'ModelRatio' | 'GroupRatio') => Object.fromEntries(state.options.table(key)),
    revise: (at: number, options: RevisePrices['options'], more: Partial<RevisePrices> = {}) =>
      decide(at, {
        type: 'RevisePrices',
        options,
        effectiveAt: null,
        base: null,
        note: null,
        ...more,
      }),
  }
}
