import { useMutation, useQueryClient } from '@tanstack/react-query'
import { put } from '../../core/api.ts'
import { i18n } from '../../core/i18n.ts'
import { optionsQuery } from '../../core/options.ts'
import { notifySuccess } from '../../parts/notify.tsx'
import type { PriceDraft } from './price-draft.ts'
import { changedOptions, priceChanges, priceMapsOf } from './price-draft.ts'
import { pricingQuery } from './queries.ts'

/** What a save needs: the edited models and the dollars that a million tokens cost at ratio 1. */
export interface SavePrices {
  readonly drafts: ReadonlyMap<string, PriceDraft>
  readonly perRatio: number
}

/**
 * Saves the edited models only: the maps are read afresh first, so that what others changed meanwhile stays. When an
 * option is refused after another was taken, the message says that a part was saved.
 */
export function useSavePrices(onDone: () => void) {
  const client = useQueryClient()
  return useMutation({
    mutationFn: async ({ drafts, perRatio }: SavePrices) => {
      const maps = priceMapsOf(await client.fetchQuery({ ...optionsQuery, staleTime: 0 }))
      const options = changedOptions(maps, priceChanges(drafts, maps, perRatio))
      for (const [index, option] of options.entries()) {
        try {
          await put('/api/option/', option)
        } catch (cause) {
          if (index === 0) throw cause
          const reason = cause instanceof Error ? cause.message : String(cause)
          throw new Error(i18n.t('pricing.partlySaved', { reason }), { cause })
        }
      }
    },
    onSuccess: () => {
      notifySuccess(i18n.t('form.saved'))
      onDone()
    },
    onSettled: () => refresh(client),
  })
}

async function refresh(client: ReturnType<typeof useQueryClient>): Promise<void> {
  await Promise.all([
    client.invalidateQueries({ queryKey: optionsQuery.queryKey }),
    client.invalidateQueries({ queryKey: pricingQuery.queryKey }),
  ])
}
