import type { OutgoingFetch } from '@tollgate/command-api/http/outgoing-fetch.ts'
import { recalculationRoute } from '@tollgate/command-api/audit/recalculation-route.ts'
import { eventRoutes } from '@tollgate/command-api/audit/events/routes.ts'
import { serverAddress } from '@tollgate/command-api/options/server-address.ts'
import { taskPayloads } from '@tollgate/command-api/tasks/payloads.ts'
import type { ApiRoute } from '@tollgate/command-api/http-contract/api-route.ts'
import { positionsOfRequest } from '@tollgate/projections/journal/journal-page.ts'
import type { ProjectionRunner } from '@tollgate/projections/runner/runner.ts'
import { freshnessRoutes } from '@tollgate/projections/runner/routes.ts'
import { readRoutes } from '@tollgate/projections/routes.ts'
import { channelTypes } from '@tollgate/relay/channel-types.ts'
import { readUsage, sumOf } from '@tollgate/relay/metering/openai-usage.ts'
import { isAllowedAddress } from '@tollgate/relay/pipeline/allowed-addresses.ts'
import modelOwners from '@tollgate/relay/data/model-owners.json' with { type: 'json' }
import type { Engines } from '../engines/engines.ts'
import type { Identity } from './compose-identity.ts'
import type { Runtime } from '../runtime.ts'

/** The parts of a process that pages are read through. */
export interface ReadsParts {
  readonly engines: Engines
  readonly identity: Identity
  readonly runner: ProjectionRunner
  readonly fetch: OutgoingFetch
}

/**
 * The pages that people read, and the calls that read them; `runner` says how far the read models are, wherever they
 * are fed, `fetch` is what pictures come through.
 */
export function composeReads(
  { clock, logger }: Runtime,
  { engines: { db, preparedDb, store }, identity, runner, fetch }: ReadsParts,
): readonly ApiRoute[] {
  const { names, secrets, addresses, options } = identity
  const payloads = taskPayloads(db, clock)
  const positionsOf = (requestId: string) => positionsOfRequest(db, requestId)
  return [
    ...freshnessRoutes({
      status: () => runner.status(),
      headPosition: () => store.headPosition(),
      now: () => clock.now(),
    }),
    ...eventRoutes({
      log: store,
      usernames: names.users,
      notes: names.notes,
      positionsOfRequest: positionsOf,
    }),
    recalculationRoute({
      store,
      usernames: names.users,
      positionsOfRequest: positionsOf,
      usageIn: (json) => sumOf(readUsage(JSON.parse(json), [])),
    }),
    ...readRoutes({
      reads: db,
      preparedReads: preparedDb,
      store,
      clock,
      names,
      isComplete: async (position) =>
        (await store.readAll(position, { streamPrefixes: ['account-'] }, 1)).length === 0,
      taskContents: (ids) => payloads.contents(ids),
      fetchPicture: (address, accept) => fetch(address, { headers: { accept } }),
      imagesAt() {
        const current = options.current()
        return current.flag('MjForwardUrlEnabled') ? serverAddress(current) : null
      },
      log: logger,
      secrets: secrets.tokens,
      redemptionSecrets: secrets.redemptions,
      findTokenByKey: (key) => secrets.tokens.findByKey(key),
      isAllowedAddress,
      readAddresses: (lists) => addresses.read(lists),
      searchChannels: (keyword) => secrets.channels.search(keyword),
      currentOptions: () => options.current(),
      modelCatalogue: Object.entries(modelOwners).map(([id, ownedBy]) => ({ id, ownedBy })),
      modelsByType: Object.fromEntries(
        channelTypes.map(({ id, defaultModels }) => [id, defaultModels]),
      ),
    }),
  ]
}
