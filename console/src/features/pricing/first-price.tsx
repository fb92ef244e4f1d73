import { Box, Flex } from '@chakra-ui/react'
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useTranslation } from 'react-i18next'
import { optionsQuery, type OptionTexts, savePrices } from '../../core/options.ts'
import { BusyButton } from '../../parts/busy-button.tsx'
import { SelectField } from '../../parts/choice-fields.tsx'
import { TextField } from '../../parts/fields.tsx'
import type { Refusals } from '../../parts/form/form-values.ts'
import { FormView } from '../../parts/form/form-view.tsx'
import { useForm } from '../../parts/form/use-form.ts'
import { useQuotaUnit } from '../../parts/quota.tsx'
import { SkeletonRows } from '../../parts/states.tsx'
import type { PricedModel } from './contract.ts'
import type { DraftProblem, PriceDraft } from './price-draft.ts'
import {
  changedTexts,
  draftProblems,
  EMPTY_DRAFT,
  priceChanges,
  priceMapsOf,
  suggestedDraft,
} from './price-draft.ts'
import { PRICE_READS } from './price-mutations.ts'
import { pricingQuery } from './queries.ts'

interface FirstPriceProps {
  /** All without a price. */
  readonly models: readonly string[]
  /** The one of them to begin with. */
  readonly suggested: string
  /** True: the form takes the focus. */
  readonly isFocused: boolean
}

interface FirstPriceValues {
  readonly model: string
  /** US dollars for a million tokens in and out. */
  readonly input: string
  readonly output: string
}

const MILLION = 1_000_000
const REFUSALS: Refusals<FirstPriceValues> = {
  option_entry_too_large: 'input',
  option_entry_too_small: 'input',
  option_product_too_large: 'input',
}

/** Sets what one model costs, at once: of an installation that has a price for none of its models. */
export function FirstPrice(props: FirstPriceProps) {
  const options = useQuery(optionsQuery).data
  const pricing = useQuery(pricingQuery)
  if (!options || pricing.isPending) return <SkeletonRows rows={3} height="40px" />
  return <FirstPriceForm {...props} options={options} listed={pricing.data?.models ?? []} />
}

function FirstPriceForm(
  props: FirstPriceProps & { options: OptionTexts; listed: readonly PricedModel[] },
) {
  const { t } = useTranslation()
  const { models, options, listed } = props
  const { quotaPerUnit } = useQuotaUnit()
  const perRatio = MILLION / quotaPerUnit
  const suggestionFor = (model: string): FirstPriceValues => {
    const row = listed.find((one) => one.model_name === model)
    const { input, output } = suggestedDraft(row?.completion_ratio, perRatio)
    return { model, input, output }
  }
  const form = useForm<FirstPriceValues, DraftProblem>({
    initial: () => suggestionFor(props.suggested),
    check: (values) => ({
      ...draftProblems(asDraft(values)),
      ...(values.input.trim() === '' ? { input: 'inputMissing' } : {}),
    }),
    say: (problem) => t(`pricing.problem_${problem}`),
    save: (values) => {
      const maps = priceMapsOf(options)
      const changes = priceChanges(new Map([[values.model, asDraft(values)]]), maps, perRatio)
      return savePrices({
        options: changedTexts(maps, changes),
        base: options.priceBase,
        effective_at: null,
        note: '',
      })
    },
    refresh: PRICE_READS,
    refusals: REFUSALS,
  })
  return (
    <FormView form={form}>
      {models.length > 1 ? (
        <SelectField
          label={t('pricing.model')}
          options={models.map((model) => ({ value: model, label: model }))}
          value={form.values.model}
          onChange={(model) => form.set(suggestionFor(model))}
        />
      ) : null}
      <Flex gap="3" wrap="wrap" css={{ '&& > *': { flex: '1 1 180px' } }}>
        <TextField
          label={t('pricing.inputPrice')}
          inputMode="decimal"
          isFocused={props.isFocused}
          help={t('pricing.suggestion')}
          {...form.text('input')}
        />
        <TextField
          label={t('pricing.outputPrice')}
          inputMode="decimal"
          help={t('pricing.outputHelp')}
          {...form.text('output')}
        />
      </Flex>
      <Flex gap="4" align="center" wrap="wrap">
        <BusyButton type="submit" size="sm" isBusy={form.isBusy}>
          {t('pricing.setPrice')}
        </BusyButton>
        <Box css={{ '& a': { color: 'teal.fg', textDecoration: 'underline' } }}>
          <Link to="/setting" search={{ prices: 'unset' }} hash="prices">
            {t('pricing.morePrices')}
          </Link>
        </Box>
      </Flex>
    </FormView>
  )
}

const asDraft = ({ input, output }: FirstPriceValues): PriceDraft => ({
  ...EMPTY_DRAFT,
  mode: 'price',
  input: input.trim(),
  output: output.trim(),
})
