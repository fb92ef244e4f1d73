import { queryOptions, useQuery } from '@tanstack/react-query'
import { get } from '../../core/api.ts'
import type { Log, Token } from '../../core/contract.ts'
import { optionsQuery } from '../../core/options.ts'
import { statusQuery } from '../../core/status.ts'
import type { Progress } from './steps.ts'

/** How often the page looks for the call that it waits for. */
const WAIT_INTERVAL_MS = 2000
/** Tests of channels are rows of their own in the log, without a token. */
const ROWS_LOOKED_AT = 20

const servedQuery = queryOptions({
  queryKey: ['channels', 'served-models'],
  queryFn: ({ signal }) => get('/api/channel/models_enabled', undefined, signal),
})

const firstTokenQuery = queryOptions({
  queryKey: ['tokens', 'first'],
  queryFn: async ({ signal }) => {
    const tokens = await get('/api/token/', { p: 0, size: 100 }, signal)
    return tokens.find(({ status }) => status === 1) ?? null
  },
})

/** The newest charge of a call that somebody made with a token; null as long as there is none. */
const firstCallQuery = queryOptions({
  queryKey: ['first-call'],
  queryFn: async ({ signal }) => {
    const query = { type: 2, p: 1, page_size: ROWS_LOOKED_AT }
    const { items } = await get('/api/log/', query, signal)
    return items.find((row) => row.token_id > 0) ?? null
  },
})

/** Whether no call was charged yet; undefined until that is known. */
export function useHasStepsLeft(): boolean | undefined {
  const { data } = useQuery(firstCallQuery)
  return data === undefined ? undefined : data === null
}

/**
 * How far the installation is, with the token and the charge themselves; undefined until everything is known, and where
 * a call was charged before anybody looked. A page that waits for the first call keeps asking for it.
 */
export function useProgress(
  isWaiting: boolean,
): (Progress & { readonly token: Token | null; readonly call: Log | null }) | undefined {
  const call = useQuery({
    ...firstCallQuery,
    refetchInterval: ({ state }) => (isWaiting && state.data === null ? WAIT_INTERVAL_MS : false),
  }).data
  // An installation with a charge, as nearly all are, has no steps left to know about.
  const isOpen = { enabled: call === null }
  const status = useQuery(statusQuery).data
  const options = useQuery({ ...optionsQuery, ...isOpen }).data
  const served = useQuery({ ...servedQuery, ...isOpen }).data
  const token = useQuery({ ...firstTokenQuery, ...isOpen }).data
  if (!status || !options || !served || token === undefined || call === undefined) return undefined
  const names = (key: string) => Object.keys(JSON.parse(options.get(key) || '{}') as object)
  return {
    served,
    priced: new Set([...names('ModelRatio'), ...names('ModelPrice')]),
    isSelfUse: status.self_use_mode_enabled,
    hasToken: token !== null,
    hasCall: call !== null,
    token,
    call,
  }
}
