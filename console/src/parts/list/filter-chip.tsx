import { Box, Button, chakra, Flex, Input, Popover, Stack } from '@chakra-ui/react'
import { useQuery } from '@tanstack/react-query'
import { Plus, X } from 'lucide-react'
import type { FormEvent } from 'react'
import { useRef, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { useIsAdmin } from '../../core/session.ts'
import { amountText } from '../amount.ts'
import { PopupPortal } from '../popup-portal.tsx'
import { moneyString, parseQuota } from '../quota-format.ts'
import { useQuotaUnit, useUnitName } from '../quota.tsx'
import type { Filter, Suggested } from './filters.ts'
import { suggestionsQuery } from './suggestions.ts'

interface ChipProps {
  readonly filter: Filter
  readonly value: string | number | undefined
  readonly onChange: (value: string | number | undefined) => void
}

/** A filter as a chip that says what it holds; a click opens its field, the cross empties it. */
export function FilterChip(props: ChipProps) {
  const { t } = useTranslation()
  const { filter, onChange } = props
  const [isOpen, setOpen] = useState(false)
  const field = useRef<HTMLInputElement>(null)
  const label = t(filter.label)
  const shown = useShownValue(props)
  return (
    <chakra.fieldset display="flex" aria-label={label}>
      <Popover.Root
        lazyMount
        unmountOnExit
        open={isOpen}
        onOpenChange={({ open }) => setOpen(open)}
        initialFocusEl={() => field.current}
      >
        <Popover.Trigger asChild>
          <Button
            size="xs"
            variant={shown ? 'subtle' : 'outline'}
            {...(shown ? { borderEndRadius: '0' } : { borderStyle: 'dashed', color: 'fg.muted' })}
          >
            {shown ? null : <Plus size={12} aria-hidden />}
            {shown ? t('list.chip', { label, value: shown }) : label}
          </Button>
        </Popover.Trigger>
        <PopupPortal>
          <Popover.Positioner>
            <Popover.Content p="3" width="260px" aria-label={label}>
              {filter.options ? (
                <Options
                  {...props}
                  onChange={(chosen) => {
                    onChange(chosen)
                    setOpen(false)
                  }}
                />
              ) : (
                <Words
                  {...props}
                  fieldRef={field}
                  label={label}
                  onChange={(typed) => {
                    onChange(typed)
                    setOpen(false)
                  }}
                />
              )}
            </Popover.Content>
          </Popover.Positioner>
        </PopupPortal>
      </Popover.Root>
      {shown ? (
        <Button
          size="xs"
          px="1"
          minW="0"
          variant="subtle"
          borderStartRadius="0"
          aria-label={t('list.clearFilter', { label })}
          onClick={() => onChange(undefined)}
        >
          <X size={13} aria-hidden />
        </Button>
      ) : null}
    </chakra.fieldset>
  )
}

/** What a chip says of its value; empty without one. */
function useShownValue({ filter, value }: ChipProps): string {
  const { t } = useTranslation()
  const { unit, quotaPerUnit } = useQuotaUnit()
  if (value === undefined) return ''
  if (filter.kind === 'amount') return moneyString(Number(value), unit, quotaPerUnit)
  const option = filter.options?.find((one) => one.value === String(value))
  return option ? t(option.label) : String(value)
}

function Options({ filter, value, onChange }: ChipProps) {
  const { t } = useTranslation()
  return (
    <Stack gap="1">
      {(filter.options ?? []).map((option) => (
        <Button
          key={option.value}
          size="xs"
          justifyContent="flex-start"
          variant={option.value === String(value ?? '') ? 'subtle' : 'ghost'}
          aria-pressed={option.value === String(value ?? '')}
          onClick={() => onChange(option.value)}
        >
          {t(option.label)}
        </Button>
      ))}
    </Stack>
  )
}

function Words({
  fieldRef,
  label,
  ...props
}: ChipProps & { label: string; fieldRef: React.RefObject<HTMLInputElement | null> }) {
  const { t } = useTranslation()
  const { filter, value } = props
  const { unit, quotaPerUnit } = useQuotaUnit()
  const unitName = useUnitName()
  const isAmount = filter.kind === 'amount'
  const isNumber = isAmount || ['count', 'channel', 'userId'].includes(filter.kind)
  const [typed, setTyped] = useState(
    value === undefined
      ? ''
      : isAmount
        ? amountText(Number(value), unit, quotaPerUnit)
        : String(value),
  )
  const [isWrong, setWrong] = useState(false)
  const apply = (event: FormEvent) => {
    event.preventDefault()
    const words = typed.trim()
    const read = isAmount ? parseQuota(words, unit, quotaPerUnit) : Number(words)
    if (words === '') props.onChange(undefined)
    else if (!isNumber) props.onChange(words)
    else if (read !== null && Number.isSafeInteger(read) && read >= 0) props.onChange(read)
    else setWrong(true)
  }
  return (
    <form onSubmit={apply}>
      <Stack gap="2">
        <chakra.label fontSize="xs" color="fg.muted">
          {isAmount ? t('amount.label', { label, unit: unitName }) : label}
          <Flex gap="1.5" mt="1">
            <Input
              ref={fieldRef}
              size="xs"
              value={typed}
              autoComplete="off"
              aria-invalid={isWrong}
              {...(isNumber && !isSuggested(filter.kind) ? { inputMode: 'decimal' } : {})}
              onChange={(event) => {
                setTyped(event.target.value)
                setWrong(false)
              }}
            />
            <Button size="xs" type="submit">
              {t('list.apply')}
            </Button>
          </Flex>
        </chakra.label>
        {filter.help ? (
          <Box fontSize="xs" color="fg.muted">
            {t(filter.help)}
          </Box>
        ) : null}
        {isWrong ? (
          <Box role="alert" fontSize="xs" color="fg.error">
            {t('list.notANumber')}
          </Box>
        ) : null}
        {isSuggested(filter.kind) ? (
          <Suggestions
            kind={filter.kind}
            words={typed.trim() === String(value ?? '') ? '' : typed.trim()}
            onChoose={(chosen) => props.onChange(isNumber ? Number(chosen) : chosen)}
          />
        ) : null}
      </Stack>
    </form>
  )
}

function Suggestions(props: { kind: Suggested; words: string; onChoose: (value: string) => void }) {
  const isAdmin = useIsAdmin()
  const { data } = useQuery(suggestionsQuery(props.kind, props.words, isAdmin))
  return (
    <Stack gap="0.5">
      {(data ?? []).map(({ value, label }) => (
        <Button
          key={value}
          size="xs"
          variant="ghost"
          color="fg"
          justifyContent="flex-start"
          truncate
          onClick={() => props.onChoose(value)}
        >
          {label}
        </Button>
      ))}
    </Stack>
  )
}

const SUGGESTED: ReadonlySet<string> = new Set([
  'group',
  'user',
  'userId',
  'model',
  'token',
  'channel',
] satisfies Suggested[])

const isSuggested = (kind: string): kind is Suggested => SUGGESTED.has(kind)
