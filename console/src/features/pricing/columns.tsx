import { Box, chakra, Flex } from '@chakra-ui/react'
import { Check, Minus } from 'lucide-react'
import { useContext, useMemo } from 'react'
import { useTranslation } from 'react-i18next'
import { withThousandsApart } from '../../core/thousands.ts'
import { Id } from '../../parts/id.tsx'
import { useQuotaUnit, useShownSign, useUnitName, WithoutHeader } from '../../parts/quota.tsx'
import type { QuotaUnit } from '../../parts/quota-format.ts'
import { columnHelper } from '../../parts/table/table-features.ts'
import { Tag } from '../../parts/tag.tsx'
import type { PricedModel } from './contract.ts'
import { shortened } from './decimal.ts'
import { priceOf, ratioPalette } from './price-rows.ts'
import { RatioHelp } from './ratio-help.tsx'

const column = columnHelper<PricedModel>()

/** Digits shown after the point; the hint has all of them. */
const SHOWN_PLACES = 6

/** The columns of the price list for the group that is looked at; `onGroup` is told which group was clicked. */
export function usePricingColumns(
  group: string,
  ratios: Readonly<Record<string, number>>,
  onGroup: (group: string) => void,
) {
  const { t } = useTranslation()
  const unitName = useUnitName()
  const { unit, quotaPerUnit } = useQuotaUnit()
  const groupRatio = ratios[group] ?? 1
  return useMemo(
    () =>
      column.columns([
        column.display({
          id: 'available',
          header: t('pricing.available'),
          meta: { width: 80 },
          cell: ({ row }) => <Available isOn={row.original.enable_groups.includes(group)} />,
        }),
        column.accessor('model_name', {
          header: t('pricing.model'),
          meta: { width: 202, isGrowing: true, phone: 'title' },
          cell: ({ row }) => <Id value={row.original.model_name} label={t('pricing.copyName')} />,
        }),
        column.display({
          id: 'billing',
          header: t('pricing.billing'),
          meta: { width: 96 },
          cell: ({ row }) => <Billing model={row.original} />,
        }),
        column.display({
          id: 'groups',
          header: t('pricing.groups'),
          meta: { width: 238 },
          cell: ({ row }) => (
            <Groups
              names={row.original.enable_groups.filter((name) => Object.hasOwn(ratios, name))}
              ratios={ratios}
              current={group}
              onGroup={onGroup}
            />
          ),
        }),
        column.display({
          id: 'ratios',
          header: () => (
            <chakra.span display="inline-flex" alignItems="center" gap="1">
              {t('pricing.ratios')}
              <RatioHelp />
            </chakra.span>
          ),
          meta: { align: 'end', width: 150 },
          cell: ({ row }) => <Ratios model={row.original} groupRatio={groupRatio} />,
        }),
        ...(['input', 'output'] as const).map((side) =>
          column.display({
            id: side,
            header: t(`pricing.${side}In`, { unit: unitName }),
            meta: {
              align: 'end',
              width: 150,
              phone: side === 'input' ? 'value' : 'meta',
              isNamed: true,
            },
            cell: ({ row }) => (
              <Price
                model={row.original}
                side={side}
                groupRatio={groupRatio}
                unit={unit}
                quotaPerUnit={quotaPerUnit}
              />
            ),
          }),
        ),
      ]),
    [t, unitName, unit, quotaPerUnit, group, groupRatio, ratios, onGroup],
  )
}

function Available({ isOn }: { isOn: boolean }) {
  const { t } = useTranslation()
  const label = isOn ? t('pricing.isAvailable') : t('pricing.isUnavailable')
  return (
    <Box
      as="span"
      data-hint={label}
      display="inline-flex"
      verticalAlign="middle"
      color={isOn ? 'fg.success' : 'fg.subtle'}
    >
      {isOn ? <Check size={16} aria-hidden /> : <Minus size={16} aria-hidden />}
      <chakra.span srOnly>{label}</chakra.span>
    </Box>
  )
}

function Billing({ model }: { model: PricedModel }) {
  const { t } = useTranslation()
  if (!model.has_price)
    return (
      <Tag tone="bad" hint={t('pricing.unsetHint')}>
        {t('pricing.unset')}
      </Tag>
    )
  return model.quota_type === 1 ? (
    <Tag tone="info">{t('pricing.byCall')}</Tag>
  ) : (
    <Tag tone="accent">{t('pricing.byTokens')}</Tag>
  )
}

/** The groups that have the model, each with its ratio in the colour of its size. */
function Groups(props: {
  names: readonly string[]
  ratios: Readonly<Record<string, number>>
  current: string
  onGroup: (group: string) => void
}) {
  const { t } = useTranslation()
  return (
    <Flex gap="1">
      {props.names.map((name) => (
        <chakra.button
          key={name}
          type="button"
          display="inline-flex"
          alignItems="center"
          gap="1"
          aria-pressed={name === props.current}
          aria-label={t('pricing.viewGroup', { name, ratio: props.ratios[name] ?? 1 })}
          onClick={() => props.onGroup(name)}
          px="1.5"
          fontSize="xs"
          lineHeight="20px"
          borderRadius="l1"
          borderWidth="1px"
          borderColor="border"
          color="fg.muted"
          cursor="pointer"
          _hover={{ color: 'fg' }}
          {...(name === props.current
            ? { bg: 'teal.subtle', borderColor: 'teal.border', color: 'teal.fg' }
            : {})}
        >
          {name}
          <Tag palette={ratioPalette(props.ratios[name] ?? 1)}>{props.ratios[name] ?? 1}</Tag>
        </chakra.button>
      ))}
    </Flex>
  )
}

function Ratios({ model, groupRatio }: { model: PricedModel; groupRatio: number }) {
  if (!model.has_price) return '–'
  const factors =
    model.quota_type === 1
      ? [groupRatio]
      : [model.model_ratio, shortened(String(model.completion_ratio), SHOWN_PLACES), groupRatio]
  return factors.join(' × ')
}

function Price(props: {
  model: PricedModel
  side: 'input' | 'output'
  groupRatio: number
  unit: QuotaUnit
  quotaPerUnit: number
}) {
  const { t } = useTranslation()
  const { model, side } = props
  if (!model.has_price) return '–'
  const price = priceOf(model, props.groupRatio, props.unit, props.quotaPerUnit)
  if (price.by === 'call')
    return side === 'output' ? (
      '–'
    ) : (
      <Exact text={price.call} unit={props.unit} suffix={t('pricing.perCall')} />
    )
  return (
    <>
      <SideName side={side} />
      <Exact text={price[side]} unit={props.unit} />
    </>
  )
}

/** On a phone, where no header says which price this is. */
function SideName({ side }: { side: 'input' | 'output' }) {
  const { t } = useTranslation()
  if (!useContext(WithoutHeader)) return null
  return (
    <chakra.span color="fg.muted" fontSize="xs" me="1.5">
      {t(`pricing.${side}Short`)}
    </chakra.span>
  )
}

function Exact(props: { text: string; unit: QuotaUnit; suffix?: string }) {
  const { text, suffix } = props
  const sign = useShownSign()
  return (
    <span data-hint={text}>
      {sign}
      {withCommas(shortened(text, SHOWN_PLACES), props.unit === 'currency' ? 2 : 0)}
      {suffix ? <chakra.span color="fg.muted">{suffix}</chakra.span> : null}
    </span>
  )
}

/** Thousands separated, and at least so many digits after the point. */
function withCommas(text: string, placesMin: number): string {
  const [whole = '', fraction = ''] = text.split('.')
  const grouped = withThousandsApart(whole)
  const places = fraction.padEnd(placesMin, '0')
  return places ? `${grouped}.${places}` : grouped
}
