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
import { isPricingOption } from '@tollgate/domain/settings/catalogue.ts'
import type { SettingsEvent } from '@tollgate/domain/settings/events.ts'
import type { DirectorySnapshot } from './source.ts'

const PAGE = 1_000
const FILTER = { streamPrefixes: ['channel-', SETTINGS_STREAM] }

/** For tests: channels and options as a log has them up to now, without a read model. */
export async function snapshotFromLog(
  store: Pick<EventStore, 'readAll' | 'headPosition'>,
): Promise<DirectorySnapshot> {
  const head = await store.headPosition()
  const channels = new Map<number, ChannelState>()
  const options = new Map<string, string>()
  let priceBookRevision = -1
  let position: Position = LOG_START
  for (;;) {
    const events = await store.readAll(position, FILTER, PAGE)
    for (const event of events) {
      if (event.stream === SETTINGS_STREAM) {
        priceBookRevision = applyOption(options, event) ?? priceBookRevision
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
    options: [...options],
    priceBookRevision,
  }
}

/** The position when the event makes a new price book revision, else null. */
function applyOption(options: Map<string, string>, recorded: RecordedEvent): Position | null {
  const event = recorded as SettingsEvent & RecordedEvent
  if (event.type !== 'OptionChanged' || event.data.value === null) return null
  options.set(event.data.key, event.data.value)
  return isPricingOption(event.data.key) ? recorded.position : null
}
