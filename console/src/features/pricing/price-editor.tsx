import { Box, Button, chakra, Flex, Text } from '@chakra-ui/react'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { lazy, Suspense, useCallback, useMemo, useRef, useState, useSyncExternalStore } from 'react'
import { useTranslation } from 'react-i18next'
import { optionsQuery } from '../../core/options.ts'
import { useLeaveGuard } from '../../parts/form/leave-guard.tsx'
import { notifyInfo } from '../../parts/notify.tsx'
import { useQuotaUnit } from '../../parts/quota.tsx'
import { SearchBox } from '../../parts/search-box.tsx'
import { EmptyState, ErrorState, SkeletonRows } from '../../parts/states.tsx'
import { Pager } from '../../parts/table/pager.tsx'
import { usePages } from '../../parts/table/use-pages.ts'
import { AddModel } from './add-model.tsx'
import { BatchDialog } from './batch-dialog.tsx'
import type { PricedModel } from './contract.ts'
import type { DraftStore, DraftTerms } from './draft-store.ts'
import { changesIn, draftStore, hasProblem } from './draft-store.ts'
import type { EntryMode, PriceMaps } from './price-draft.ts'
import { changedTexts, PRICE_OPTIONS, priceMapsOf } from './price-draft.ts'
import { previewQuery } from './price-mutations.ts'
import { matchesFuzzily } from './price-rows.ts'
import type { EditorRow } from './price-table.tsx'
import { PriceTable } from './price-table.tsx'
import { pricingQuery } from './queries.ts'
import { refusedPrice } from './refused-price.ts'

const SaveDialog = lazy(() => import('./save-dialog.tsx'))

type Opened = 'save' | 'batch'

const NO_MAPS: PriceMaps = { ModelPrice: {}, ModelRatio: {}, CompletionRatio: {} }
const MILLION = 1_000_000

/**
 * Sets what models cost: those that are refused because they have no price (`unset`), or all. Nothing is saved until the
 * list of changes was confirmed.
 */
export function PriceEditor({ view }: { view: 'unset' | 'visual' }) {
  const { t } = useTranslation()
  const { quotaPerUnit } = useQuotaUnit()
  const perRatio = MILLION / quotaPerUnit
  const client = useQueryClient()
  const options = useQuery(optionsQuery)
  const pricing = useQuery(pricingQuery)
  const [mode, setMode] = useState<EntryMode>('ratio')
  const [typedWords, setWords] = useState('')
  const [added, setAdded] = useState<readonly string[]>([])
  const [selection, setSelection] = useState<ReadonlySet<string>>(new Set())
  const [opened, setOpened] = useState<Opened | null>(null)
  const [store] = useState(draftStore)
  const maps = useMemo(() => (options.data ? priceMapsOf(options.data) : NO_MAPS), [options.data])
  const terms = useMemo(() => ({ maps, mode, perRatio }), [maps, mode, perRatio])
  const isGivenUp = useRef(false)
  const guard = useLeaveGuard(
    {
      isUnsaved: () => !isGivenUp.current && changesIn(store.all(), terms).length > 0,
      giveUp: () => {
        isGivenUp.current = true
      },
    },
    // Between the models without a price and all of them, the editor stays where it is.
    (from, to) => from.pathname === to.pathname && isEditor(to.search),
  )
  const all = useMemo(
    () => editorRows(maps, pricing.data?.models ?? [], added),
    [maps, pricing.data, added],
  )
  const rows = useMemo(
    () =>
      all.filter(
        (row) =>
          (view === 'visual' || row.isUnset || added.includes(row.model)) &&
          matchesFuzzily(row.model, typedWords),
      ),
    [all, view, added, typedWords],
  )
  const { shown, pager } = usePages(rows)
  const selected = rows.map((row) => row.model).filter((model) => selection.has(model))
  const select = useCallback(
    (models: readonly string[], isSelected: boolean) =>
      setSelection((old) => {
        const change = new Set(models)
        return isSelected ? old.union(change) : old.difference(change)
      }),
    [],
  )
  const askToSave = () => {
    isGivenUp.current = false
    if (hasProblem(store.all())) notifyInfo(t('form.checkInput'))
    else if (changesIn(store.all(), terms).length === 0) notifyInfo(t('form.unchanged'))
    else {
      setOpened('save')
      // The dialog shows the same preview. A price that it is refused for is mended in the table.
      const texts = changedTexts(maps, changesIn(store.all(), terms))
      client.fetchQuery(previewQuery(texts)).catch(showRefused)
    }
  }
  const showRefused = (error: unknown) => {
    const refused = refusedPrice(error)
    if (!refused) return
    setOpened(null)
    store.refuse(refused)
    if (!shown.some(({ model }) => model === refused.model)) setWords(refused.model)
    notifyInfo(t('form.checkInput'))
  }
  const error = options.error ?? pricing.error
  const isLoaded = options.data !== undefined && pricing.data !== undefined
  return (
    <Box>
      <Text color="fg.muted" fontSize="sm" mb="3">
        {t('pricing.editorHelp')}
      </Text>
      <Flex gap="2" wrap="wrap" align="center" mb="2">
        <Choice
          label={t('pricing.entryMode')}
          value={mode}
          onChange={setMode}
          options={[
            ['ratio', t('pricing.asRatios')],
            ['price', t('pricing.asPrices')],
          ]}
        />
        <SearchBox label={t('pricing.search')} value={typedWords} onSearch={setWords} />
        <AddModel
          isKnown={(name) =>
            added.includes(name) || PRICE_OPTIONS.some((option) => name in maps[option])
          }
          onAdd={(name) => setAdded([name, ...added])}
        />
        <Button
          size="xs"
          variant="outline"
          disabled={selected.length === 0}
          onClick={() => setOpened('batch')}
        >
          {t('pricing.batch', { n: selected.length })}
        </Button>
        <Flex flex="1" justify="flex-end">
          <SaveButton store={store} terms={terms} onClick={askToSave} />
        </Flex>
      </Flex>
      {isLoaded ? (
        <>
          {rows.length === 0 ? (
            <EmptyState
              title={view === 'unset' ? t('pricing.noneUnset') : t('pricing.noneFound')}
            />
          ) : (
            <PriceTable
              label={t('pricing.editorTitle')}
              rows={shown}
              store={store}
              terms={terms}
              selection={selection}
              onSelect={select}
            />
          )}
          {rows.length > 0 ? <Pager {...pager} /> : null}
        </>
      ) : error ? (
        <ErrorState
          error={error}
          {...(view === 'unset' && pricing.error ? { what: t('pricing.enabledFailed') } : {})}
          onRetry={() => {
            void options.refetch()
            void pricing.refetch()
          }}
        />
      ) : (
        <SkeletonRows rows={pager.pageSize + 1} height="40px" />
      )}
      {opened === 'batch' ? (
        <BatchDialog
          count={selected.length}
          mode={mode}
          isAskedBehind={() => changesIn(store.all(), terms).length > 0}
          onApply={(draft) => {
            store.setAll(selected, draft, terms)
            setOpened(null)
          }}
          onClose={() => setOpened(null)}
        />
      ) : null}
      {opened === 'save' && options.data ? (
        <Suspense>
          <SaveDialog
            prices={{
              options: changedTexts(maps, changesIn(store.all(), terms)),
              base: options.data.priceBase,
            }}
            onSaved={() => {
              store.clear()
              setAdded([])
              setSelection(new Set())
              setOpened(null)
            }}
            onClose={() => setOpened(null)}
          />
        </Suspense>
      ) : null}
      {guard.dialog}
    </Box>
  )
}

const isEditor = (search: object): boolean =>
  'prices' in search && (search.prices === 'visual' || search.prices === 'unset')

/** Counts the changes as they are typed. */
function SaveButton(props: { store: DraftStore; terms: DraftTerms; onClick: () => void }) {
  const { t } = useTranslation()
  const drafts = useSyncExternalStore(props.store.subscribe, props.store.all)
  const n = useMemo(() => changesIn(drafts, props.terms).length, [drafts, props.terms])
  return (
    <Button size="sm" variant={n > 0 ? 'solid' : 'outline'} onClick={props.onClick}>
      {n > 0 ? t('pricing.saveChanges', { n }) : t('action.save')}
    </Button>
  )
}

/** Every model that is served or has a price: those without a price first, then those that are served. */
function editorRows(
  maps: PriceMaps,
  models: readonly PricedModel[],
  added: readonly string[],
): readonly EditorRow[] {
  const byName = new Map(models.map((model) => [model.model_name, model]))
  const unset = new Set(models.filter((model) => !model.has_price).map((model) => model.model_name))
  const named = PRICE_OPTIONS.flatMap((option) => Object.keys(maps[option]))
  const known = new Set([...added, ...unset, ...models.map((model) => model.model_name), ...named])
  return [...known]
    .map((model) => {
      const completionRatio = byName.get(model)?.completion_ratio
      return {
        model,
        isUnset: unset.has(model),
        ...(completionRatio ? { completionRatio } : {}),
      }
    })
    .sort((a, b) => rank(b) - rank(a) || a.model.localeCompare(b.model))

  function rank(row: EditorRow): number {
    if (added.includes(row.model)) return 3
    return row.isUnset ? 2 : Number(byName.has(row.model))
  }
}

function Choice<Value extends string>(props: {
  label: string
  value: Value
  onChange: (value: Value) => void
  options: readonly (readonly [Value, string])[]
}) {
  return (
    <chakra.fieldset aria-label={props.label} display="flex" gap="1">
      {props.options.map(([value, label]) => (
        <Button
          key={value}
          size="xs"
          variant={props.value === value ? 'solid' : 'outline'}
          aria-pressed={props.value === value}
          onClick={() => props.onChange(value)}
        >
          {label}
        </Button>
      ))}
    </chakra.fieldset>
  )
}
