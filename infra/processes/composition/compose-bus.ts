import { createHmac } from 'node:crypto'
import { type AskOwner, askOwners } from '../../bus/nats/rpc-client.ts'
import { natsHoldOwner } from '../../bus/nats/owner-client.ts'
import { type NatsLink, openNats } from '../../bus/nats/connection.ts'
import { serveRecalls } from '../../bus/nats/relays.ts'
import { natsUsageJournal } from '../../bus/nats/usage-journal.ts'
import { openUsageStream, type UsageStream } from '../../bus/nats/usage-stream.ts'
import type { LedgerAccess } from './compose-ledger.ts'
import type { SharedEnginesConfig } from '../engines/shared-engines.ts'
import type { Runtime } from '../runtime.ts'

/** NATS between the processes, with its streams made. */
export interface Bus {
  readonly link: NatsLink
  readonly usage: UsageStream
  /** Asks the owners of accounts, in whichever process they are. */
  readonly ask: AskOwner
  close(): Promise<void>
}

/**
 * Connects to NATS, waiting while it is unavailable until the process is told to stop, and makes the streams of
 * consumption events.
 */
export async function openBus(
  config: Pick<
    SharedEnginesConfig,
    'natsUrl' | 'natsCredsFile' | 'natsReplicas' | 'natsUsageBytesMax' | 'masterKey'
  >,
  { logger, stopping }: Pick<Runtime, 'logger' | 'stopping'>,
  name: string,
): Promise<Bus> {
  const { natsUrl, natsCredsFile, natsReplicas, natsUsageBytesMax } = config
  const signal = stopping ?? new AbortController().signal
  const link = await openNats({ url: natsUrl, credsFile: natsCredsFile, name, logger, signal })
  const deployment = deploymentOf(config.masterKey)
  const streams = { link, replicas: natsReplicas, bytesMax: natsUsageBytesMax, deployment }
  const usage = await openUsageStream(streams, signal).catch(async (error: unknown) => {
    await link.close()
    throw error
  })
  return { link, usage, ask: askOwners(link), close: () => link.close() }
}

/** A relay's way to the owners of accounts over NATS. */
export const busAccess = ({ link, usage, ask }: Bus): LedgerAccess => ({
  owner: natsHoldOwner({ ask, logger: link.logger }),
  journal: natsUsageJournal(usage),
  listen(relay, listener) {
    const serving = serveRecalls({ link, relay, listener })
    return { close: () => serving.stop() }
  },
  readinessProblem: () => link.readinessProblem(),
})

/** A name that all processes of one Tollgate know and no other has, and that says nothing of the key. */
const deploymentOf = (masterKey: Buffer): string =>
  createHmac('sha256', masterKey).update('tollgate deployment').digest('hex').slice(0, 16)
