import { Box, Button, chakra, IconButton, Input } from '@chakra-ui/react'
import { Plus, Trash2 } from 'lucide-react'
import { useTranslation } from 'react-i18next'

/** A column of texts or numbers. */
export interface RowsColumn {
  readonly label: string
  readonly isNumber: boolean
}

/** A small table that is typed: lines can be added, changed and taken out. `fault` is said under its line. */
export function RowsField(props: {
  label: string
  columns: readonly RowsColumn[]
  rows: readonly (readonly string[])[]
  onChange: (rows: readonly (readonly string[])[]) => void
  fault: { readonly row: number; readonly message: string } | null
}) {
  const { t } = useTranslation()
  const { columns, rows, onChange, fault } = props
  return (
    <Box>
      <chakra.section overflowX="auto" position="relative" tabIndex={0} aria-label={props.label}>
        <chakra.table w="full" fontSize="sm" css={{ borderCollapse: 'collapse' }}>
          <thead>
            <tr>
              {columns.map(({ label, isNumber }) => (
                <chakra.th
                  key={label}
                  scope="col"
                  textAlign={isNumber ? 'end' : 'start'}
                  fontWeight="500"
                  fontSize="xs"
                  color="fg.muted"
                  pe="2"
                  pb="1"
                >
                  {label}
                </chakra.th>
              ))}
              <th>
                <chakra.span srOnly>{t('rows.remove')}</chakra.span>
              </th>
            </tr>
          </thead>
          <tbody>
            {rows.map((cells, row) => (
              // oxlint-disable-next-line react/no-array-index-key -- names are being typed, the place is what stays.
              <tr key={row}>
                {columns.map(({ label, isNumber }, at) => (
                  <chakra.td key={label} pe="2" py="0.5" verticalAlign="top">
                    <Input
                      size="xs"
                      minW={isNumber ? '80px' : '110px'}
                      textAlign={isNumber ? 'end' : 'start'}
                      fontVariantNumeric="tabular-nums"
                      aria-label={t('rows.cell', { column: label, n: row + 1 })}
                      {...(fault?.row === row ? { 'aria-invalid': true } : {})}
                      {...(isNumber ? { inputMode: 'decimal' } : {})}
                      value={cells[at] ?? ''}
                      onChange={(event) => onChange(withCell(rows, row, at, event.target.value))}
                    />
                    {at === 0 && fault?.row === row ? (
                      <Box role="alert" color="fg.error" fontSize="xs">
                        {fault.message}
                      </Box>
                    ) : null}
                  </chakra.td>
                ))}
                <chakra.td py="0.5" w="32px" verticalAlign="top">
                  <IconButton
                    size="xs"
                    variant="ghost"
                    aria-label={t('rows.removeRow', { n: row + 1 })}
                    onClick={() => onChange(rows.filter((_, index) => index !== row))}
                  >
                    <Trash2 size={14} />
                  </IconButton>
                </chakra.td>
              </tr>
            ))}
          </tbody>
        </chakra.table>
      </chakra.section>
      {rows.length === 0 ? (
        <Box color="fg.muted" fontSize="sm" py="1">
          {t('rows.none')}
        </Box>
      ) : null}
      <Button
        size="xs"
        variant="outline"
        mt="2"
        aria-label={t('rows.addTo', { label: props.label })}
        onClick={() => onChange([...rows, columns.map(() => '')])}
      >
        <Plus size={13} aria-hidden />
        {t('rows.add')}
      </Button>
    </Box>
  )
}

function withCell(
  rows: readonly (readonly string[])[],
  row: number,
  column: number,
  text: string,
): readonly (readonly string[])[] {
  return rows.map((cells, index) =>
    index === row ? cells.map((cell, at) => (at === column ? text : cell)) : cells,
  )
}
