import { openNats } from '@tollgate/infra/bus/nats/connection.ts'
import { logger } from './embedded-log.ts'
import type { Reader } from './seen-positions.ts'

/** Questions to owners by kind, such as `place-hold`. */
export type Questions = Readonly<Record<string, number>>

/** Hears every question about holds that relays ask over NATS, and every recall; commands are not among them. */
export async function countQuestions(natsUrl: string) {
  const link = await openNats({ url: natsUrl, credsFile: null, name: 'bench listener', logger })
  let counts: Record<string, number> = {}
  const hear = (kind: string): void => void (counts[kind] = (counts[kind] ?? 0) + 1)
  link.client.subscribe('tollgate.owner.*', {
    callback: (_error, message) => hear(message.json<{ readonly type: string }>().type),
  })
  link.client.subscribe('tollgate.relay.*.recall', { callback: () => hear('recall') })
  await link.client.flush()
  return {
    /** Questions since the last time this was called. */
    take(): Questions {
      const taken = counts
      counts = {}
      return taken
    },
    stop: () => link.close(),
  }
}

/** Events of holds, and charges, behind a position. */
export interface HoldEvents {
  readonly charges: number
  readonly holds: number
}

/** How many of each the log has from behind one position up to another. */
export async function holdEvents(reader: Reader, after: number, upTo: number): Promise<HoldEvents> {
  const { rows } = await reader.query<HoldEvents>(
    `select count(*) filter (where type = 'UsageCharged')::integer as charges,
       count(*) filter (where type ~ '^(QuotaHeld|Hold)')::integer as holds
     from ledger.events where position > $1 and position <= $2`,
    [after, upTo],
  )
  return rows[0] ?? { charges: 0, holds: 0 }
}

/** The log's end. */
export async function endOfLog(reader: Reader): Promise<number> {
  const { rows } = await reader.query<{ position: string }>('select position from ledger.head')
  return Number(rows[0]?.position ?? -1)
}
