import { Box, Button, chakra, Flex, Input, Stack } from '@chakra-ui/react'
import { useQuery } from '@tanstack/react-query'
import type { FormEvent, ReactElement } from 'react'
import { useId, useRef, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { useIsAdmin } from '../../core/session.ts'
import { ChoiceButton } from '../choice-button.tsx'
import { amountText } from '../amount.ts'
import { useCombobox } from '../combobox/use-combobox.tsx'
import { Popover } from '../late/popover.ts'
import { MomentInput } from '../moment-input.tsx'
import { PopupPortal } from '../popup-portal.tsx'
import { parseQuota } from '../quota-format.ts'
import { useQuotaUnit, useUnitName } from '../quota.tsx'
import { momentText, readMoment } from '../time-format.ts'
import type { ChipProps } from './filter-chip.tsx'
import type { Suggested } from './filters.ts'
import { suggestionsQuery } from './suggestions.ts'

/** The field of a filter, or its choices, below its chip. Fetched on demand. */
export default function FilterPopover({ button, ...props }: ChipProps & { button: ReactElement }) {
  const { t } = useTranslation()
  const { filter } = props
  const [isOpen, setOpen] = useState(true)
  const field = useRef<HTMLInputElement>(null)
  const label = t(filter.label)
  const chosen: ChipProps = {
    ...props,
    onChange: (value) => {
      props.onChange(value)
      setOpen(false)
    },
  }
  return (
    <Popover.Root
      lazyMount
      unmountOnExit
      open={isOpen}
      onOpenChange={({ open }) => setOpen(open)}
      initialFocusEl={() => field.current}
      positioning={{ placement: 'bottom-start' }}
    >
      <Popover.Trigger asChild>{button}</Popover.Trigger>
      <PopupPortal>
        <Popover.Positioner>
          <Popover.Content
            p="3"
            css={{ '--popover-size': filter.kind === 'moment' ? '300px' : '260px' }}
            aria-label={label}
          >
            {filter.options ? (
              <Options {...chosen} />
            ) : filter.kind === 'moment' ? (
              <MomentField {...chosen} label={label} />
            ) : (
              <Words {...chosen} fieldRef={field} label={label} />
            )}
          </Popover.Content>
        </Popover.Positioner>
      </PopupPortal>
    </Popover.Root>
  )
}

function Options({ filter, value, onChange }: ChipProps) {
  const { t } = useTranslation()
  return (
    <Stack gap="1">
      {(filter.options ?? []).map((option) => (
        <ChoiceButton
          key={option.value}
          justifyContent="flex-start"
          isQuiet
          isChosen={option.value === String(value ?? '')}
          onClick={() => onChange(option.value)}
        >
          {t(option.label)}
        </ChoiceButton>
      ))}
    </Stack>
  )
}

function MomentField({ label, value, filter, onChange }: ChipProps & { label: string }) {
  const { t } = useTranslation()
  const id = useId()
  const [typed, setTyped] = useState(value === undefined ? '' : momentText(Number(value)))
  const [isWrong, setWrong] = useState(false)
  const apply = (event: FormEvent) => {
    event.preventDefault()
    const moment = readMoment(typed)
    if (typed.trim() === '') onChange(undefined)
    else if (moment === null) setWrong(true)
    else onChange(moment)
  }
  return (
    <form onSubmit={apply}>
      <Stack gap="1" fontSize="xs" color="fg.muted">
        <label htmlFor={id}>{label}</label>
        <Flex gap="1.5">
          <MomentInput
            id={id}
            size="xs"
            value={typed}
            isInvalid={isWrong}
            onChange={(text) => {
              setTyped(text)
              setWrong(false)
            }}
          />
          <Button size="xs" type="submit">
            {t('list.apply')}
          </Button>
        </Flex>
        {filter.help ? <span>{t(filter.help)}</span> : null}
        {isWrong ? (
          <Box role="alert" color="fg.error">
            {t('list.notAMoment')}
          </Box>
        ) : null}
      </Stack>
    </form>
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
  const isNumber = isAmount || ['count', 'channel', 'userId', 'tokenId'].includes(filter.kind)
  const suggested = isSuggested(filter.kind) ? filter.kind : null
  const [typed, setTyped] = useState(
    value === undefined
      ? ''
      : isAmount
        ? amountText(Number(value), unit, quotaPerUnit)
        : String(value),
  )
  const [isWrong, setWrong] = useState(false)
  const words = typed.trim() === String(value ?? '') ? '' : typed.trim()
  const { data } = useQuery(suggestionsQuery(suggested, words, useIsAdmin()))
  const combobox = useCombobox({
    label,
    choices: data ?? [],
    isInline: true,
    onChoose: (chosen) => props.onChange(isNumber ? Number(chosen) : chosen),
  })
  const apply = (event: FormEvent) => {
    event.preventDefault()
    const entered = typed.trim()
    const read = isAmount ? parseQuota(entered, unit, quotaPerUnit) : Number(entered)
    if (entered === '') props.onChange(undefined)
    else if (!isNumber) props.onChange(entered)
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
              {...(suggested ? combobox.field : {})}
              ref={fieldRef}
              size="xs"
              value={typed}
              autoComplete="off"
              aria-invalid={isWrong}
              {...(isNumber && !suggested ? { inputMode: 'decimal' } : {})}
              onChange={(event) => {
                setTyped(event.target.value)
                setWrong(false)
                combobox.onTyped()
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
        {combobox.list}
      </Stack>
    </form>
  )
}

const SUGGESTED: ReadonlySet<string> = new Set([
  'group',
  'user',
  'userId',
  'model',
  'token',
  'tokenId',
  'channel',
] satisfies Suggested[])

const isSuggested = (kind: string): kind is Suggested => SUGGESTED.has(kind)
