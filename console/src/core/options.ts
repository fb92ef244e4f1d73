import { queryOptions } from '@tanstack/react-query'
import { get } from './api.ts'
import type { Option } from './contract.ts'

/** All options as texts by key; for super administrators. */
export const optionsQuery = queryOptions({
  queryKey: ['options'],
  queryFn: async ({ signal }) => {
    const options = await get<Option[]>('/api/option/', undefined, signal)
    return new Map(options.map(({ key, value }) => [key, value]))
  },
})
