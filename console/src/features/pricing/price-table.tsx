import { chakra } from '@chakra-ui/react'
import { Undo2 } from 'lucide-react'
import { memo, useCallback, useMemo, useSyncExternalStore } from 'react'
import { useTranslation } from 'react-i18next'
import { CheckField } from '../../parts/choice-fields.tsx'
import { Tag } from '../../parts/tag.tsx'
import type { DraftStore, DraftTerms } from './draft-store.ts'
import { shownDraft } from './draft-store.ts'
import type { EditorRow } from './editor-rows.ts'
import type { DraftField } from './price-draft.ts'
import {
  CACHE_FIELD_NAMES,
  draftProblems,
  fieldText,
  isCacheField,
  usualCachePrice,
} from './price-draft.ts'
import { otherWay, outputInForce } from './other-way.ts'
import { labelOf } from './price-labels.ts'

const FIELDS: readonly DraftField[] = ['call', 'input', 'output']
const ALL_FIELDS: readonly DraftField[] = [...FIELDS, ...CACHE_FIELD_NAMES]

/** The prices of some models as fields. A key draws anew the field that it was typed in, and nothing beside its line. */
export function PriceTable(props: {
  label: string
  rows: readonly EditorRow[]
  store: DraftStore
  terms: DraftTerms
  /** With the prices of cached input. */
  showsCache: boolean
  selection: ReadonlySet<string>
  onSelect: OnSelect
}) {
  const { t } = useTranslation()
  const { rows, terms, selection, showsCache } = props
  const fields = showsCache ? ALL_FIELDS : FIELDS
  const { mode } = terms
  const labels = useMemo(() => {
    const labelIn = (field: DraftField) => t(`pricing.${labelOf(field, mode)}`)
    return {
      call: labelIn('call'),
      input: labelIn('input'),
      output: labelIn('output'),
      cacheRead: labelIn('cacheRead'),
      cacheWrite: labelIn('cacheWrite'),
      cacheWrite1h: labelIn('cacheWrite1h'),
      other: t(mode === 'ratio' ? 'pricing.pricesColumn' : 'pricing.ratiosColumn'),
    }
  }, [t, mode])
  const chosen = rows.filter((row) => selection.has(row.model)).length
  return (
    <chakra.section overflowX="auto" position="relative" aria-label={props.label} tabIndex={0}>
      <chakra.table css={showsCache ? CACHE_LOOK : LOOK}>
        <thead>
          <tr>
            <th className="tick">
              <CheckField
                label={t('table.selectAll')}
                // On a phone the box stands alone above the cards.
                isLabelHidden="wide"
                isChecked={chosen === rows.length ? true : chosen > 0 && 'indeterminate'}
                onChange={(isSelected) =>
                  props.onSelect(
                    rows.map((row) => row.model),
                    isSelected,
                  )
                }
              />
            </th>
            <th className="name" scope="col">
              {t('pricing.model')}
            </th>
            {fields.map((field) => (
              <th key={field} className="number" scope="col">
                {labels[field]}
              </th>
            ))}
            <th className="number" scope="col">
              {labels.other}
            </th>
            <th>
              <chakra.span srOnly>{t('pricing.revert')}</chakra.span>
            </th>
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <Line
              key={row.model}
              row={row}
              store={props.store}
              terms={terms}
              fields={fields}
              labels={labels}
              isSelected={selection.has(row.model)}
              onSelect={props.onSelect}
            />
          ))}
        </tbody>
      </chakra.table>
    </chakra.section>
  )
}

type OnSelect = (models: readonly string[], isSelected: boolean) => void

const Line = memo(function Line(props: {
  row: EditorRow
  store: DraftStore
  terms: DraftTerms
  fields: readonly DraftField[]
  labels: Readonly<Record<DraftField | 'other', string>>
  isSelected: boolean
  onSelect: OnSelect
}) {
  const { t } = useTranslation()
  const { row, store, terms } = props
  const { model } = row
  const typed = useSyncExternalStore(store.subscribe, () => store.typed(model))
  const refused = useSyncExternalStore(store.subscribe, () => store.refused(model))
  const edit = useCallback(
    (field: DraftField, text: string) => store.edit(model, field, text, terms),
    [store, model, terms],
  )
  const draft = shownDraft(model, typed, terms)
  // A built-in price may be 0; only typed prices are checked.
  const problems = typed ? draftProblems(draft) : {}
  const errorOf = (field: DraftField): string | undefined => {
    const problem = problems[field]
    if (problem) return t(`pricing.problem_${problem}`)
    return refused?.field === field ? refused.message : undefined
  }
  const usualIn = (field: DraftField): string => {
    if (field === 'output') return outputInForce(draft, row)
    return isCacheField(field) ? usualCachePrice(draft, field) : ''
  }
  return (
    <tr>
      <NameCells row={row} isSelected={props.isSelected} onSelect={props.onSelect} />
      {props.fields.map((field) => (
        <Field
          key={field}
          model={model}
          field={field}
          label={props.labels[field]}
          text={fieldText(draft, field, { model, maps: terms.maps, perRatio: terms.perRatio })}
          error={errorOf(field)}
          isDisabled={field !== 'call' && draft.call !== ''}
          placeholder={usualIn(field)}
          onEdit={edit}
        />
      ))}
      <td className="number other" data-label={props.labels.other}>
        {otherWay(draft, row, terms)}
      </td>
      <Revert model={model} isTyped={typed !== undefined} store={store} />
    </tr>
  )
})

const NameCells = memo(function NameCells(props: {
  row: EditorRow
  isSelected: boolean
  onSelect: OnSelect
}) {
  const { t } = useTranslation()
  const { model, isUnset } = props.row
  return (
    <>
      <td className="tick">
        <input
          type="checkbox"
          aria-label={t('table.selectRow', { id: model })}
          checked={props.isSelected}
          onChange={(event) => props.onSelect([model], event.target.checked)}
        />
      </td>
      <td className="name">
        {model}
        {isUnset ? (
          <>
            {' '}
            <Tag tone="bad">{t('pricing.unset')}</Tag>
          </>
        ) : null}
      </td>
    </>
  )
})

const Field = memo(function Field(props: {
  model: string
  field: DraftField
  label: string
  text: string
  error: string | undefined
  isDisabled: boolean
  placeholder: string
  onEdit: (field: DraftField, text: string) => void
}) {
  const { field, label, error } = props
  return (
    <td className={STARTS_LINE.has(field) ? 'number first' : 'number'} data-label={label}>
      <input
        className="field"
        inputMode="decimal"
        autoComplete="off"
        aria-label={`${props.model}: ${label}`}
        aria-invalid={error !== undefined}
        disabled={props.isDisabled}
        placeholder={props.placeholder}
        value={props.text}
        onChange={(event) => props.onEdit(field, event.target.value.trim())}
      />
      {error ? <div role="alert">{error}</div> : null}
    </td>
  )
})

const Revert = memo(function Revert(props: { model: string; isTyped: boolean; store: DraftStore }) {
  const { t } = useTranslation()
  const { model, isTyped, store } = props
  const words = t('pricing.revertOf', { model })
  return (
    <td>
      <button
        type="button"
        aria-label={words}
        data-hint={words}
        style={{ visibility: isTyped ? 'visible' : 'hidden' }}
        onClick={() => store.revert(model)}
      >
        <Undo2 size={14} aria-hidden />
      </button>
    </td>
  )
})

/** Fields that begin a line of a phone's card. */
const STARTS_LINE: ReadonlySet<DraftField> = new Set(['call', 'cacheRead'])

/** Plain elements and one style for all of them: a styled component in each cell costs more than the cell. */
const LOOK = {
  // Fixed: with widths that follow the content, each key would lay out every line anew.
  tableLayout: 'fixed',
  display: { base: 'block', sm: 'table' },
  w: 'full',
  minW: { base: '0', sm: '690px' },
  fontSize: 'sm',
  borderCollapse: 'separate',
  borderSpacing: '0',
  '& th, & td': { px: '2', py: '1', borderBottomWidth: '1px', borderColor: 'border.muted' },
  '& th': { fontSize: 'xs', fontWeight: '500', color: 'fg.muted', whiteSpace: 'nowrap' },
  '& td': { h: '40px', verticalAlign: 'middle' },
  '& th:last-of-type': { w: '36px' },
  // Each line is painted by itself: else a key in one would have all of them painted again.
  '& tbody tr': { position: 'relative', isolation: 'isolate' },
  // On a phone each model is a card: its name, and below it the fields with their labels.
  smDown: {
    '& thead, & tbody': { display: 'block' },
    '& tr': {
      display: 'grid',
      gridTemplateColumns: '36px 1fr 1fr 1fr 36px',
      borderBottomWidth: '1px',
      borderColor: 'border.muted',
      py: '1',
    },
    '& th:not(.tick)': { display: 'none' },
    '& th.tick': { gridColumn: '1 / -1', w: 'auto' },
    '& th, & td': { borderBottomWidth: '0' },
    '& td': { h: 'auto', alignSelf: 'center' },
    '& td.name': { gridColumn: '2 / span 3', w: 'auto' },
    '& td:last-of-type': { gridArea: '1 / 5' },
    '& td.number': { w: 'auto', px: '1', textAlign: 'start', alignSelf: 'end' },
    '& td.number.first': { gridColumn: '1 / span 2', ps: '3' },
    '& td.number[data-label]::before': {
      content: 'attr(data-label)',
      display: 'block',
      color: 'fg.muted',
      fontSize: 'xs',
    },
    '& td.number.other': { gridColumn: '1 / -1', ps: '3' },
    '& td.other:empty': { display: 'none' },
    '& .field': { w: 'full', h: '36px' },
  },
  '& .tick': { w: '36px', ps: '3', textAlign: 'start' },
  '& input[type=checkbox]': {
    boxSize: '4',
    accentColor: 'teal.solid',
    cursor: 'pointer',
    verticalAlign: 'middle',
  },
  '& .name': {
    textAlign: 'start',
    // Only where the table may be wider than the window: each sticky cell costs time at every key.
    position: { base: 'sticky', lg: 'static' },
    insetInlineStart: '0',
    zIndex: '1',
    bg: 'bg.panel',
    w: { base: '130px', md: 'auto' },
    overflowWrap: 'anywhere',
  },
  '& td.name': { fontFamily: 'mono', fontSize: 'xs' },
  '& .number': { w: '120px', textAlign: 'end', fontVariantNumeric: 'tabular-nums' },
  '& td.other': { color: 'fg.muted', fontSize: 'xs', whiteSpace: 'nowrap' },
  '& .field': {
    // A key lays out nothing outside of its field.
    contain: 'layout paint',
    w: '104px',
    h: '28px',
    px: '2',
    textAlign: 'end',
    bg: 'transparent',
    borderWidth: '1px',
    borderColor: 'border.field',
    borderRadius: 'l2',
  },
  '& .field:focus-visible': { outline: '2px solid', outlineColor: 'teal.focusRing' },
  '& .field::placeholder': { color: 'fg.subtle' },
  '& .field:disabled': { opacity: '0.5', cursor: 'not-allowed' },
  '& .field[aria-invalid=true]': { borderColor: 'fg.error' },
  '& [role=alert]': { color: 'fg.error', fontSize: 'xs' },
  '& button': { color: 'fg.muted', cursor: 'pointer', p: '1' },
} as const

/** With three columns more: narrower ones, so that a laptop shows them all. */
const CACHE_LOOK = {
  ...LOOK,
  minW: { base: '0', sm: '846px' },
  '& th': { ...LOOK['& th'], whiteSpace: 'normal' },
  '& .number': { ...LOOK['& .number'], w: '92px', px: '1' },
  '& .field': { ...LOOK['& .field'], w: '82px' },
  '& td.other': { ...LOOK['& td.other'], whiteSpace: 'normal' },
} as const
