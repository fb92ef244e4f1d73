import { Box, chakra, IconButton, Input } from '@chakra-ui/react'
import { Undo2 } from 'lucide-react'
import { useMemo } from 'react'
import { useTranslation } from 'react-i18next'
import { columnHelper } from '../../parts/table/table-features.ts'
import { Tag } from '../../parts/tag.tsx'
import { shortened } from './decimal.ts'
import { useDrafts } from './draft-context.ts'
import type { DraftField, EntryMode } from './price-draft.ts'
import { draftProblems } from './price-draft.ts'

/** A line of the price editor. */
export interface EditorRow {
  readonly model: string
  /** Served by an enabled channel, and refused because nothing says what it costs. */
  readonly isUnset: boolean
  /** The completion ratio in force, shown where none is set. */
  readonly completionRatio?: number
}

const column = columnHelper<EditorRow>()

/** The columns of the price editor; their fields read and write the drafts around them. */
export function useEditorColumns(mode: EntryMode) {
  const { t } = useTranslation()
  return useMemo(
    () =>
      column.columns([
        column.accessor('model', {
          header: t('pricing.model'),
          meta: { pinned: 'start', width: 150, isGrowing: true },
          cell: ({ row }) => <Name row={row.original} />,
        }),
        ...(['call', 'input', 'output'] as const).map((field) =>
          column.display({
            id: field,
            header: t(`pricing.${labelOf(field, mode)}`),
            meta: { width: 150 },
            cell: ({ row }) => <PriceField row={row.original} field={field} />,
          }),
        ),
        column.display({
          id: 'revert',
          header: () => <chakra.span srOnly>{t('pricing.revert')}</chakra.span>,
          meta: { align: 'end', width: 48 },
          cell: ({ row }) => <Revert model={row.original.model} />,
        }),
      ]),
    [t, mode],
  )
}

/** The name of a field in a mode, as a key of the texts. */
export function labelOf(field: DraftField, mode: EntryMode) {
  if (field === 'call') return 'callPrice'
  if (mode === 'ratio') return field === 'input' ? 'modelRatio' : 'completionRatio'
  return field === 'input' ? 'inputPrice' : 'outputPrice'
}

function Name({ row }: { row: EditorRow }) {
  const { t } = useTranslation()
  return (
    <chakra.span display="inline-flex" columnGap="2" alignItems="center" flexWrap="wrap">
      <chakra.span
        fontFamily="mono"
        fontSize="xs"
        w={{ base: '120px', md: 'auto' }}
        whiteSpace="normal"
        overflowWrap="anywhere"
      >
        {row.model}
      </chakra.span>
      {row.isUnset ? <Tag tone="bad">{t('pricing.unset')}</Tag> : null}
    </chakra.span>
  )
}

function PriceField({ row, field }: { row: EditorRow; field: DraftField }) {
  const { t } = useTranslation()
  const { mode, draftFor, edit, isEdited } = useDrafts()
  const { model } = row
  const draft = draftFor(model)
  const inForce = field === 'output' && mode === 'ratio' ? row.completionRatio : undefined
  // What is built in may be 0; nobody is told off for what they have not typed.
  const problem = isEdited(model) ? draftProblems(draft)[field] : undefined
  const label = t(`pricing.${labelOf(field, mode)}`)
  return (
    <Box>
      <Input
        size="2xs"
        width="110px"
        textAlign="end"
        fontVariantNumeric="tabular-nums"
        inputMode="decimal"
        autoComplete="off"
        aria-label={`${model}: ${label}`}
        aria-invalid={problem !== undefined}
        borderColor={problem ? 'fg.error' : 'border.field'}
        disabled={field !== 'call' && draft.call !== ''}
        {...(inForce === undefined ? {} : { placeholder: shortened(String(inForce), 6) })}
        value={draft[field]}
        onChange={(event) => edit(model, field, event.target.value.trim())}
      />
      {problem ? (
        <Box role="alert" color="fg.error" fontSize="xs">
          {t(`pricing.problem_${problem}`)}
        </Box>
      ) : null}
    </Box>
  )
}

function Revert({ model }: { model: string }) {
  const { t } = useTranslation()
  const { isEdited, revert } = useDrafts()
  const label = t('pricing.revertOf', { model })
  return (
    <IconButton
      size="2xs"
      variant="ghost"
      aria-label={label}
      data-hint={label}
      visibility={isEdited(model) ? 'visible' : 'hidden'}
      onClick={() => revert(model)}
    >
      <Undo2 size={14} />
    </IconButton>
  )
}
