import { Button, chakra, Flex, Text } from '@chakra-ui/react'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { ChoiceButton } from '../../parts/choice-button.tsx'
import { JsonField } from '../../parts/form/json-field.tsx'
import { inLines } from '../../parts/form/json-text.ts'
import { RowsField } from '../../parts/form/rows-field.tsx'
import type { OptionKey } from './options.ts'
import { faultOf } from './option-words.ts'
import type { TableProblem, TableRow, TableShape } from './tables.ts'
import { COLUMNS, isNumberColumn, tableRows, tableText } from './tables.ts'

/** A table option, as a table or as its JSON: two views of one text. */
export function TableInput(props: {
  optionKey: OptionKey
  shape: TableShape
  label: string
  help: string | undefined
  text: string
  found: TableProblem | null
  error: string | undefined
  /** The models' tables are edited as a table elsewhere. */
  isJsonOnly: boolean
  onChange: (text: string) => void
}) {
  const { t } = useTranslation()
  const { label, shape, text, found, onChange } = props
  const [isJson, setJson] = useState(props.isJsonOnly)
  // Stored texts are often one long line; what people laid out themselves stays.
  const shown = text.includes('\n') ? text : inLines(text)
  const fault = found && faultOf(props.optionKey, text, found, t)
  const rows = isJson ? null : tableRows(shape, text)
  return (
    <>
      <Flex gap="2" wrap="wrap" align="center" justify="space-between" mb="1.5">
        <Text fontWeight="500" fontSize="sm">
          {label}
        </Text>
        <chakra.fieldset display="flex" gap="1" aria-label={t('settings.viewOf', { name: label })}>
          {isJson ? (
            <Button size="2xs" variant="ghost" onClick={() => onChange(inLines(text))}>
              {t('settings.format')}
            </Button>
          ) : null}
          {props.isJsonOnly
            ? null
            : [false, true].map((asJson) => (
                <ChoiceButton
                  key={String(asJson)}
                  size="2xs"
                  isQuiet
                  isChosen={isJson === asJson}
                  onClick={() => setJson(asJson)}
                >
                  {t(asJson ? 'settings.asJson' : 'settings.asTable')}
                </ChoiceButton>
              ))}
        </chakra.fieldset>
      </Flex>
      {isJson ? (
        <JsonField
          label={label}
          isLabelHidden
          value={shown}
          onChange={onChange}
          fault={fault && { ...fault, at: text === shown ? fault.at : 0 }}
          error={props.error}
        />
      ) : rows ? (
        <RowsField
          label={label}
          columns={COLUMNS[shape].map((column) => ({
            label: t(`settings.column_${column}`),
            isNumber: isNumberColumn(column),
          }))}
          rows={rows.map(({ cells }) => cells)}
          onChange={(next) => onChange(tableText(shape, next))}
          fault={fault && found ? { row: rowAt(rows, found.at), message: fault.message } : null}
        />
      ) : (
        <Text role="alert" color="fg.error" fontSize="sm">
          {t('settings.tableBroken')}
        </Text>
      )}
      {props.error && !isJson ? (
        <Text role="alert" color="fg.error" fontSize="xs" mt="1">
          {props.error}
        </Text>
      ) : null}
      {props.help ? (
        <Text color="fg.muted" fontSize="xs" mt="1">
          {props.help}
        </Text>
      ) : null}
    </>
  )
}

/** The line of the table that a position of its text belongs to. */
function rowAt(rows: readonly TableRow[], at: number): number {
  return Math.max(
    0,
    rows.findLastIndex((row) => row.at <= at),
  )
}
