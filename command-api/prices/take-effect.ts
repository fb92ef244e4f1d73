import { SETTINGS_STREAM } from '@tollgate/domain/event.ts'
import { settingsDecider } from '@tollgate/domain/settings/decider.ts'
import { type AggregateWriter, executeOn } from '../aggregates/aggregate.ts'
import type { LiveOptions } from '../options/live-options.ts'

/**
 * Notes in the log that planned prices are in force, once their time has come. Relays went by them already; from here on
 * they stay in force though clocks step back, and options are listed with them. Done twice it changes nothing.
 */
export async function takePricesInForce(
  writer: AggregateWriter,
  options: Pick<LiveOptions, 'prices'>,
): Promise<void> {
  const now = writer.clock.now()
  if (!options.prices().planned.some(({ effectiveAt }) => effectiveAt <= now)) return
  await executeOn(
    writer,
    { stream: SETTINGS_STREAM, decider: settingsDecider, command: { type: 'TakeEffect' } },
    CAUSE,
  )
}

const CAUSE = { actor: 'system', correlationId: 'planned-prices', causationId: null } as const
