import type { ChannelEvent } from '@tollgate/domain/channel/events.ts'
import { evolveChannel } from '@tollgate/domain/channel/evolve.ts'
import { serviceOf } from '@tollgate/domain/channel/service.ts'
import { type ChannelState, isLive, NO_CHANNEL } from '@tollgate/domain/channel/state.ts'
import {
  LOG_START,
  numberOfStream,
  type Position,
  type RecordedEvent,
  SETTINGS_STREAM,
} from '@tollgate/domain/event.ts'
import { channelId } from '@tollgate/domain/ids.ts'
import type { EventStore } from '@tollgate/domain/ports/event-store.ts'
import { evolveSettings } from '@tollgate/domain/settings/decider.ts'
import type { SettingsEvent } from '@tollgate/domain/settings/events.ts'
import { NO_SETTINGS } from '@tollgate/domain/settings/state.ts'
import type { DirectorySnapshot } from '@tollgate/relay/directory/source.ts'

const PAGE = 1_000
const FILTER = { streamPrefixes: ['channel-', SETTINGS_STREAM] }

/** For tests: channels and options as a log has them up to now, without a read model. */
export async function snapshotFromLog(
  store: Pick<EventStore, 'readAll' | 'headPosition'>,
): Promise<DirectorySnapshot> {
  const head = await store.headPosition()
  const channels = new Map<number, ChannelState>()
  let settings = NO_SETTINGS
  /** Positions of the revisions of prices, by number. */
  const revisions = new Map<number, Position>()
  let position: Position = LOG_START
  for (;;) {
    const events = await store.readAll(position, FILTER, PAGE)
    for (const event of events) {
      if (event.stream === SETTINGS_STREAM) {
        const { newest } = settings.prices
        settings = evolveSettings(settings, event as SettingsEvent & RecordedEvent)
        if (settings.prices.newest > newest) revisions.set(settings.prices.newest, event.position)
      } else {
        const id = numberOfStream(event.stream)
        const state = channels.get(id) ?? NO_CHANNEL
        channels.set(id, evolveChannel(state, event as ChannelEvent & RecordedEvent))
      }
      position = event.position
    }
    if (events.length < PAGE) break
  }
  return {
    position: Math.max(position, head),
    channels: [...channels].flatMap(([id, state]) =>
      isLive(state)
        ? [{ id: channelId(id), service: serviceOf(state.status), terms: state.terms }]
        : [],
    ),
    options: [...settings.options.entries()].filter(
      ([key]) => settings.options.stored(key) !== null,
    ),
    priceBookRevision: revisions.get(settings.prices.inForce) ?? -1,
    plannedPrices: settings.prices.planned.map((plan) => ({
      ...plan,
      revision: revisions.get(plan.number) ?? -1,
    })),
  }
}
