import type { DomainEvent } from '../event.ts'

/** Changes of options; stream `settings`. Secret values are kept in `secrets.options` and only referred to. */
export type SettingsEvent = OptionChanged | LogsCleared

export type OptionChanged = DomainEvent<
  'OptionChanged',
  {
    readonly at: number
    readonly key: string
    /** The option's text, as on the wire; null for a secret one. */
    readonly value: string | null
    /** The text before; null for a secret one or when it stood at its default. */
    readonly previous: string | null
  }
>
/** Log rows before a moment leave the usage log; the ledger keeps its events. */
export type LogsCleared = DomainEvent<
  'LogsCleared',
  { readonly at: number; readonly before: number }
>
