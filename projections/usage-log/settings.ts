import type { QuotaNotation } from '@tollgate/domain/quota-text.ts'
import type { ModelTables } from '../runner/model-tables.ts'
import type { Recorded } from '../runner/projected-events.ts'

/** The options that decide what the log's rows say and whether there are any. */
export interface LogSettings extends QuotaNotation {
  /** LogConsumeEnabled: false hides consumption from the log, not from the ledger (decision 30). */
  readonly logsConsumption: boolean
}

/** Defaults of spec/data/options-defaults.json. */
export const DEFAULTS: LogSettings = {
  logsConsumption: true,
  showsCurrency: true,
  quotaPerUnit: 500_000,
}

/** The events that change options at once. */
export const optionEventTypes = [
  'OptionChanged',
  'PriceBookRevised',
  'PriceRevisionTookEffect',
] as const
type OptionEvent = Extract<Recorded, { type: (typeof optionEventTypes)[number] }>
export const changesOptions = (event: Recorded): event is OptionEvent =>
  optionEventTypes.some((type) => type === event.type)

/** As they stood at the last event handled. */
export async function loadSettings(tx: ModelTables): Promise<LogSettings> {
  const rows = await tx.query<{ key: string; value: string }>('select key, value from {settings}')
  return rows.reduce((settings, { key, value }) => withOption(settings, key, value), DEFAULTS)
}

/** The settings after one option's change; the same object when the option is none of theirs. */
export function withOption(settings: LogSettings, key: string, value: string): LogSettings {
  switch (key) {
    case 'LogConsumeEnabled':
      return { ...settings, logsConsumption: value === 'true' }
    case 'DisplayInCurrencyEnabled':
      return { ...settings, showsCurrency: value === 'true' }
    case 'QuotaPerUnit':
      return {
        ...settings,
        quotaPerUnit: Number(value) > 0 ? Number(value) : DEFAULTS.quotaPerUnit,
      }
    default:
      return settings
  }
}

export async function storeOption(tx: ModelTables, key: string, value: string): Promise<void> {
  await tx.query(
    `insert into {settings} (key, value) values ($1, $2)
     on conflict (key) do update set value = excluded.value`,
    [key, value],
  )
}
