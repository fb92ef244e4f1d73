import { Button, Flex, Stack } from '@chakra-ui/react'
import { useMutation, useQuery } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import { useTranslation } from 'react-i18next'
import type { Status } from '../../core/contract.ts'
import { selfQuery, useStatus } from '../../core/status.ts'
import { ConfirmDialog } from '../../parts/confirm-dialog.tsx'
import { Facts } from '../../parts/facts.tsx'
import { TextField } from '../../parts/fields.tsx'
import { Form } from '../../parts/form/form.tsx'
import { FormFailure } from '../../parts/form/form-view.tsx'
import { refusedField, type Refusals } from '../../parts/form/form-values.ts'
import { Presets } from '../../parts/presets.tsx'
import { Money, UNKNOWN } from '../../parts/money.tsx'
import { abbreviateRound, grouped, moneyString } from '../../parts/quota-format.ts'
import { useQuotaUnit } from '../../parts/quota.tsx'
import { SkeletonRows } from '../../parts/states.tsx'
import { Card } from '../../parts/card.tsx'
import { NotSetUp } from './not-set-up.tsx'
import type { PaymentMethod } from './queries.ts'
import { costQuery, orderTopUp } from './queries.ts'
import { postToGateway } from './post-to-gateway.ts'
import type { TopUpUnit } from './top-up-amount.ts'
import {
  forcedAmount,
  isWholeAmount,
  leastAmount,
  presetAmounts,
  quotaOf,
} from './top-up-amount.ts'

const METHODS = ['zfb', 'wx'] as const
const REFUSALS: Refusals<{ amount: string }> = {
  top_up_money_too_low: 'amount',
  top_up_amount_too_low: 'amount',
  top_up_amount_too_large: 'amount',
}
/** Long enough for a number to be typed: each look at the price is a call. */
const TYPING_MS = 400

/** Buying quota by Alipay or WeChat at the operator's payment gateway. */
export function OnlineTopUp() {
  const { t } = useTranslation()
  const status = useStatus()
  return (
    <Card title={t('wallet.online')}>
      {status === undefined ? <SkeletonRows rows={5} /> : null}
      {status && !status.enable_online_topup ? (
        <NotSetUp text={t('wallet.onlineOff')} tab="system" />
      ) : null}
      {status?.enable_online_topup ? <Order status={status} /> : null}
    </Card>
  )
}

function Order({ status }: { status: Status }) {
  const { t } = useTranslation()
  const unit: TopUpUnit = {
    isDollars: status.display_in_currency,
    quotaPerUnit: status.quota_per_unit,
    minTopUp: status.min_topup,
  }
  const least = leastAmount(unit)
  const [text, setText] = useState(String(least))
  const [method, setMethod] = useState<PaymentMethod | null>(null)
  const isWhole = isWholeAmount(text)
  const amount = Number(isWhole ? text : 0)
  const isEnough = isWhole && amount >= least
  const isTooMany = !Number.isSafeInteger(quotaOf(amount, unit))
  const isFit = isEnough && !isTooMany
  const cost = useCost(isFit ? amount : null)
  const pay = useMutation({
    mutationFn: (by: PaymentMethod) => orderTopUp(amount, by),
    meta: { isSaidElsewhere: () => true },
    onSuccess: postToGateway,
    onError: () => setMethod(null),
  })
  // The order came last: its refusal is newer than that of the price.
  const refusal = pay.error ?? cost.error
  const isOfAmount = refusedField(refusal, REFUSALS) === 'amount'
  const ofAmount = isOfAmount ? refusal?.message : undefined
  const tooFew =
    text === '' || isWhole ? t('wallet.least', { least: grouped(least, 0) }) : t('wallet.whole')
  const error = isTooMany ? t('wallet.tooMany') : isEnough ? ofAmount : tooFew
  const type = (typed: string) => {
    setText(typed)
    pay.reset()
  }
  return (
    <Form onSubmit={() => isFit && setMethod('zfb')}>
      <Stack gap="3">
        <TextField
          label={t('amount.label', {
            label: t('wallet.amount'),
            unit: unit.isDollars ? '$' : t('quota.raw'),
          })}
          inputMode="numeric"
          value={text}
          onChange={(typed) => type(forcedAmount(typed))}
          error={error}
          help={t('wallet.amountHelp', { price: status.price })}
        />
        <Presets
          values={presetAmounts(unit)}
          present={amount}
          nameOf={(preset) => (unit.isDollars ? `$${grouped(preset, 0)}` : abbreviateRound(preset))}
          onChoose={(chosen) => type(String(chosen))}
        />
        <Preview quota={isFit ? quotaOf(amount, unit) : undefined} money={cost.money} />
        <Flex gap="2" wrap="wrap">
          {METHODS.map((by) => (
            <Button
              key={by}
              size="sm"
              variant={by === 'zfb' ? 'solid' : 'outline'}
              disabled={!isFit || cost.money === undefined}
              onClick={() => setMethod(by)}
            >
              {t('wallet.payBy', { method: t(`wallet.${by}`) })}
            </Button>
          ))}
        </Flex>
        <FormFailure failure={isOfAmount ? null : refusal} />
      </Stack>
      <Confirm
        method={method}
        money={cost.money ?? ''}
        quota={quotaOf(amount, unit)}
        isBusy={pay.isPending || pay.isSuccess}
        onConfirm={() => method && pay.mutate(method)}
        onClose={() => setMethod(null)}
      />
    </Form>
  )
}

/** The cost of an amount, once it has stopped changing; undefined without an amount. */
function useCost(amount: number | null) {
  const [settled, setSettled] = useState(amount)
  useEffect(() => {
    const timer = setTimeout(() => setSettled(amount), TYPING_MS)
    return () => clearTimeout(timer)
  }, [amount])
  const query = useQuery({ ...costQuery(settled ?? 0), enabled: settled !== null, retry: false })
  const isCurrent = settled === amount && amount !== null
  return {
    money: isCurrent ? query.data : undefined,
    error: isCurrent ? query.error : null,
  }
}

function Preview(props: { quota: number | undefined; money: string | undefined }) {
  const { t } = useTranslation()
  const self = useQuery(selfQuery).data
  const { quota, money } = props
  const after = quota === undefined || !self ? undefined : self.quota - self.held + quota
  return (
    <Facts
      facts={[
        {
          label: t('wallet.pay'),
          value: money === undefined ? UNKNOWN : <b>{t('wallet.yuan', { money })}</b>,
        },
        { label: t('wallet.received'), value: <Money value={quota} /> },
        { label: t('wallet.after'), value: <Money kind="balance" value={after} /> },
      ]}
    />
  )
}

function Confirm(props: {
  method: PaymentMethod | null
  money: string
  quota: number
  isBusy: boolean
  onConfirm: () => void
  onClose: () => void
}) {
  const { t } = useTranslation()
  const { unit, quotaPerUnit } = useQuotaUnit()
  const { method, money, quota } = props
  return (
    <ConfirmDialog
      isOpen={method !== null}
      title={t('wallet.confirmTitle', { method: method ? t(`wallet.${method}`) : '' })}
      consequence={
        method
          ? t('wallet.confirmText', { money, amount: moneyString(quota, unit, quotaPerUnit) })
          : ''
      }
      confirmLabel={t('wallet.confirm')}
      isBusy={props.isBusy}
      onConfirm={props.onConfirm}
      onClose={props.onClose}
    />
  )
}
