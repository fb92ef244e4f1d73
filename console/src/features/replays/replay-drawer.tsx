import { Button, chakra, Flex, Grid, Text } from '@chakra-ui/react'
import { useQuery } from '@tanstack/react-query'
import { useRef, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { post } from '../../core/api.ts'
import { useIsAdmin } from '../../core/session.ts'
import { useTimeZone } from '../../core/time-zone.ts'
import { CheckField, SelectField } from '../../parts/choice-fields.tsx'
import { type Choice, named } from '../../parts/combobox/choices.ts'
import { SuggestedField } from '../../parts/combobox/combobox-field.tsx'
import { ManyField } from '../../parts/combobox/many-field.tsx'
import { TextField } from '../../parts/fields.tsx'
import { DrawerForm } from '../../parts/form/drawer-form.tsx'
import { TimeField } from '../../parts/form/time-field.tsx'
import { useForm } from '../../parts/form/use-form.ts'
import type { Suggested } from '../../parts/list/filters.ts'
import { suggestionsQuery } from '../../parts/list/suggestions.ts'
import { ModelPicker } from '../../parts/model-picker.tsx'
import { dimensionsFor, REPLAY_BUCKETS } from '../../parts/replays/replay-queries.ts'
import { readMoment } from '../../parts/time-format.ts'
import { estimateQuery } from './queries.ts'
import {
  FLAGS,
  lastMonth,
  newReplay,
  pairsFor,
  PRICES,
  replayBody,
  type ReplayForm,
  replayProblems,
} from './replay-form.ts'

type Form = Pick<ReturnType<typeof useForm<ReplayForm>>, 'set' | 'values' | 'errors'>

const FLAG_VALUES = ['', 'true', 'false'] as const

/** The endpoints that are called most; any other is typed. */
const ENDPOINTS = [
  '/v1/chat/completions',
  '/v1/responses',
  '/v1/messages',
  '/v1/completions',
  '/v1/embeddings',
  '/v1/images/generations',
  '/v1/audio/transcriptions',
  '/v1/audio/speech',
  '/v1/rerank',
  '/v1beta/models/{model}:generateContent',
  '/v1beta/models/{model}:streamGenerateContent',
  '/pg/chat/completions',
].map(named)

/** The names of time zones that this browser knows. */
const ZONES = ['UTC', ...Intl.supportedValuesOf('timeZone').filter((zone) => zone !== 'UTC')].map(
  named,
)

/** Asks for a replay; at the prices of a revision where one is given. `onCreated` takes the new one's id. */
export function ReplayDrawer(props: {
  revision: number | undefined
  onCreated: (id: string) => void
  onClose: () => void
}) {
  const { t } = useTranslation()
  const isAdmin = useIsAdmin()
  const zone = useTimeZone()
  const created = useRef('')
  const form = useForm({
    initial: () => newReplay(Date.now() / 1000, zone, isAdmin, props.revision),
    check: replayProblems,
    say: (problem) => t(`replays.problem_${problem}`),
    refusals: {
      replay_name_invalid: 'name',
      replay_range_invalid: 'to',
      replay_positions_invalid: 'last',
      replay_zone_invalid: 'zone',
    },
    save: async (values) => {
      const { id } = await post('/api/replays', replayBody(values, isAdmin))
      created.current = id
    },
    refresh: [['replays']],
    onSaved: () => props.onCreated(created.current),
  })
  const { values, set } = form
  const models = useSuggestions('model', '')
  const nameOf = (table: string): string =>
    table
      .split('+')
      .map((one) => t(`replays.by_${one as 'user' | 'group' | 'token' | 'model' | 'channel'}`))
      .join(' × ')
  return (
    <DrawerForm
      title={t('replays.create')}
      form={form}
      submitLabel={t('replays.start')}
      onClose={props.onClose}
    >
      <TextField label={t('replays.name')} isRequired {...form.text('name')} />
      <PeriodFields form={form} />
      <SelectField
        label={t('replays.prices')}
        options={PRICES.map((value) => ({ value, label: t(`replays.prices_${value}`) }))}
        {...form.text('prices')}
      />
      {values.prices === 'revision' ? (
        <TextField
          label={t('replays.revision')}
          isRequired
          inputMode="numeric"
          help={t('replays.revisionHelp')}
          {...form.text('revision')}
        />
      ) : null}
      <SelectField
        label={t('replays.bucket')}
        options={REPLAY_BUCKETS.map((value) => ({ value, label: t(`replays.bucket_${value}`) }))}
        {...form.text('bucket')}
      />
      <SuggestedField
        label={t('replays.zone')}
        help={t('replays.zoneHelp')}
        {...form.text('zone')}
        choices={ZONES}
      />
      {isAdmin ? <Chosen kind="userId" name="users" form={form} /> : null}
      <Chosen kind="group" name="groups" form={form} />
      <Chosen kind="tokenId" name="tokens" form={form} />
      <ModelPicker
        label={t('replays.models')}
        value={values.models}
        suggestions={models.map(({ value }) => value)}
        onChange={(chosen) => set({ models: chosen })}
      />
      {isAdmin ? <Chosen kind="channel" name="channels" form={form} /> : null}
      <ManyField
        label={t('replays.endpoints')}
        help={t('replays.endpointsHelp')}
        error={form.errors.endpoints}
        choices={ENDPOINTS}
        onWords={() => undefined}
        values={values.endpoints}
        onChange={(endpoints) => set({ endpoints })}
      />
      <Grid gap="3" templateColumns="repeat(2, minmax(0, 1fr))">
        <TextField label={t('replays.first')} inputMode="numeric" {...form.text('first')} />
        <TextField label={t('replays.last')} inputMode="numeric" {...form.text('last')} />
        <Text gridColumn="1 / -1" mt="-2" color="fg.muted" fontSize="xs">
          {t('replays.positionsHelp')}
        </Text>
      </Grid>
      <Grid gap="3" templateColumns="repeat(2, minmax(0, 1fr))">
        {FLAGS.map((flag) => (
          <SelectField
            key={flag}
            label={t(`replays.${flag}`)}
            options={FLAG_VALUES.map((value) => ({
              value,
              label: t(`replays.${flag}_${value || 'all'}`),
            }))}
            {...form.text(flag)}
          />
        ))}
      </Grid>
      <chakra.fieldset>
        <chakra.legend fontWeight="500" mb="1">
          {t('replays.breakdowns')}
        </chakra.legend>
        <Flex gap="4" wrap="wrap">
          {dimensionsFor(isAdmin).map((dimension) => (
            <CheckField
              key={dimension}
              label={nameOf(dimension)}
              isChecked={values.by.includes(dimension)}
              onChange={(isChecked) =>
                set({
                  by: dimensionsFor(isAdmin).filter((one) =>
                    one === dimension ? isChecked : values.by.includes(one),
                  ),
                })
              }
            />
          ))}
        </Flex>
      </chakra.fieldset>
      <SelectField
        label={t('replays.pair')}
        options={[
          { value: '', label: t('replays.noPair') },
          ...pairsFor(isAdmin).map((value) => ({ value, label: nameOf(value) })),
        ]}
        {...form.text('pair')}
      />
    </DrawerForm>
  )
}

/** From when to when, and the estimate for it. */
function PeriodFields({
  form,
}: {
  form: Form & Pick<ReturnType<typeof useForm<ReplayForm>>, 'text'>
}) {
  const { t } = useTranslation()
  const { from, to } = form.values
  return (
    <>
      <TimeField label={t('replays.from')} {...form.text('from')} />
      <TimeField label={t('replays.to')} help={t('replays.toHelp')} {...form.text('to')} />
      <Button
        alignSelf="start"
        size="xs"
        variant="outline"
        onClick={() => form.set(lastMonth(Date.now() / 1000))}
      >
        {t('replays.lastMonth')}
      </Button>
      <Estimate
        isAdmin={useIsAdmin()}
        from={(readMoment(from) ?? 0) * 1000}
        to={(readMoment(to) ?? 0) * 1000}
      />
    </>
  )
}

/** The estimate of the replay, before it starts. It counts every charge of the period: the filters are not in it. */
function Estimate(props: { isAdmin: boolean; from: number; to: number }) {
  const { t, i18n } = useTranslation()
  const { isAdmin, from, to } = props
  const { data } = useQuery(estimateQuery(from, to))
  if (data === undefined) return null
  const charges = data.charges.toLocaleString(i18n.language)
  const seconds = data.duration_ms === null ? null : Math.max(1, Math.ceil(data.duration_ms / 1000))
  return (
    <Text as="output" color="fg.muted" fontSize="sm">
      {t(isAdmin ? 'replays.estimateAll' : 'replays.estimateOwn', { charges })}
      {seconds === null ? '' : ` ${t('replays.estimateTime', { seconds })}`}
    </Text>
  )
}

function Chosen(props: {
  kind: 'userId' | 'group' | 'tokenId' | 'channel'
  name: 'users' | 'groups' | 'tokens' | 'channels'
  form: Form
}) {
  const { t } = useTranslation()
  const { kind, name, form } = props
  const isAdmin = useIsAdmin()
  const [words, setWords] = useState('')
  return (
    <ManyField
      label={t(`replays.${name}`)}
      help={t(name === 'tokens' && isAdmin ? 'replays.tokensHelpAdmin' : `replays.${name}Help`)}
      error={form.errors[name]}
      choices={useSuggestions(kind, words)}
      onWords={setWords}
      values={form.values[name]}
      onChange={(values) => form.set({ [name]: values })}
    />
  )
}

function useSuggestions(kind: Suggested, words: string): readonly Choice[] {
  const { data, isPlaceholderData } = useQuery(suggestionsQuery(kind, words, useIsAdmin()))
  // The only choice of other words would be taken for these.
  return isPlaceholderData ? [] : (data ?? [])
}
