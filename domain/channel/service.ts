import type { ChannelService } from '../routing/routing-table.ts'
import type { LiveChannel } from './state.ts'

const BY_STATUS = {
  enabled: 'full',
  'half-open': 'trial',
  'auto-disabled': 'none',
  disabled: 'none',
} as const satisfies Record<LiveChannel['status'], ChannelService>

/** Whether requests go to a channel of this status. */
export const serviceOf = (status: LiveChannel['status']): ChannelService => BY_STATUS[status]
