import type { Filters, ListSearch } from '../../parts/list/filters.ts'
import { listSearchReader } from '../../parts/list/filters.ts'

/**
 * The filters of the usage log (seeds, section 2). Types: 1 top-up, 2 consumption, 3 management, 4 system, 5 error. A
 * distinct log has one row per user, token, model and channel, the newest (decision 20). A model's name means just that
 * model, as a click on it asks; % stands for any text.
 */
export const LOG_FILTERS = {
  range: { kind: 'range', label: 'log.time' },
  type: {
    kind: 'choice',
    label: 'log.type',
    options: [
      { value: '', label: 'log.type_all' },
      { value: '1', label: 'log.type_topUp' },
      { value: '2', label: 'log.type_consumption' },
      { value: '3', label: 'log.type_management' },
      { value: '4', label: 'log.type_system' },
      { value: '5', label: 'log.type_error' },
    ],
  },
  token: { kind: 'token', label: 'log.token', api: 'token_name' },
  model: { kind: 'model', label: 'log.model', api: 'model_name', help: 'log.modelHelp' },
  group: { kind: 'group', label: 'log.group' },
  channel: { kind: 'channel', label: 'log.channel', isAdmin: true },
  revision: {
    kind: 'count',
    label: 'log.priceRevision',
    api: 'price_revision',
    help: 'log.priceRevisionHelp',
    isAdmin: true,
  },
  username: { kind: 'user', label: 'log.username', isAdmin: true },
  distinct: {
    kind: 'flag',
    label: 'log.dataType',
    api: 'is_distance',
    isAdmin: true,
    options: [
      { value: '', label: 'log.dataDetail' },
      { value: 'true', label: 'log.dataDistinct' },
    ],
  },
} as const satisfies Filters

/** The usage log's address: everything that decides what is in view. */
export type LogSearch = ListSearch<typeof LOG_FILTERS>

/** Reads the address; odd values are left out. */
export const parseLogSearch = listSearchReader(LOG_FILTERS)
