import { Box, Flex, Heading, Stack, Text } from '@chakra-ui/react'
import { Link, useNavigate } from '@tanstack/react-router'
import { Check } from 'lucide-react'
import type { ComponentType, ReactNode } from 'react'
import { useEffect, useRef, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { chatModel } from '../../parts/chat-model.ts'
import { Panel } from '../../parts/page.tsx'
import { Tag } from '../../parts/tag.tsx'
import type { AddedChannel } from './add-channel.ts'
import { CallStep } from './call-step.tsx'
import { ChannelResult, ChannelStep } from './channel-step.tsx'
import { useProgress } from './queries.ts'
import { callableModels, isDone, nextStep, type Step, STEPS, unpricedModels } from './steps.ts'
import { TokenStep } from './token-step.tsx'

/** Sets the price of one of some models; takes the focus when told so. */
export type FirstPriceForm = ComponentType<{
  models: readonly string[]
  suggested: string
  isFocused: boolean
}>

/**
 * The steps that a fresh installation still needs until its first charge, one open at a time. It shows nothing once a
 * call has been charged. The charge that it waits for opens by itself.
 */
export function FirstSteps({ FirstPrice }: { FirstPrice: FirstPriceForm }) {
  const { t } = useTranslation()
  const navigate = useNavigate()
  const progress = useProgress(true)
  const [added, setAdded] = useState<AddedChannel | null>(null)
  const wasWaiting = useRef(false)
  const call = progress?.call ?? null
  useEffect(() => {
    if (progress && !call) wasWaiting.current = true
    if (!call || !wasWaiting.current) return
    wasWaiting.current = false
    void navigate({ to: '/log', search: { row: call.event_id || String(call.id) } })
  }, [progress, call, navigate])
  if (!progress || progress.hasCall) return null
  const next = nextStep(progress)
  const models = callableModels(progress)
  const unpriced = unpricedModels(progress)
  const bodies: Readonly<Record<Step, ReactNode>> = {
    channel: <ChannelStep onAdded={setAdded} />,
    price: (
      // In the view that the channel was added in, the focus was on its button.
      <PriceStep models={progress.served} FirstPrice={FirstPrice} isFocused={added !== null} />
    ),
    token: <TokenStep />,
    call: progress.token ? <CallStep token={progress.token} model={chatModel(models)} /> : null,
  }
  return (
    <Box maxW="760px" mx="auto" px="4" pt={{ base: '6', md: '10' }} pb="4">
      <Panel as="section" aria-labelledby="first-steps" p={{ base: '4', md: '5' }}>
        <Heading as="h2" size="lg" id="first-steps" letterSpacing="-0.01em">
          {t('firstSteps.title')}
        </Heading>
        <Text color="fg.muted" mb="4">
          {t('firstSteps.intro')}
        </Text>
        <Stack as="ol" gap="4" listStyleType="none">
          {STEPS.map((step, index) => (
            <StepRow
              key={step}
              number={index + 1}
              title={t(`firstSteps.step_${step}`)}
              isDone={isDone(step, progress)}
              isOpen={step === next}
            >
              {step === 'channel' && added ? (
                <ChannelResult added={added} onTested={setAdded} />
              ) : null}
              {step === next ? bodies[step] : null}
              {step === 'price' && step !== next && unpriced.length > 0 ? (
                <Unpriced models={unpriced} />
              ) : null}
            </StepRow>
          ))}
        </Stack>
      </Panel>
    </Box>
  )
}

function StepRow(props: {
  number: number
  title: string
  isDone: boolean
  isOpen: boolean
  children: ReactNode
}) {
  const { t } = useTranslation()
  const row = useFocusOnOpening(props.isOpen)
  return (
    <Flex
      as="li"
      ref={row}
      gap="3"
      align="flex-start"
      {...(props.isOpen ? { 'aria-current': 'step' } : {})}
    >
      <Flex
        align="center"
        justify="center"
        flexShrink="0"
        boxSize="6"
        borderRadius="full"
        borderWidth="1px"
        fontSize="xs"
        fontWeight="600"
        aria-hidden
        {...(props.isDone
          ? { bg: 'teal.solid', borderColor: 'teal.solid', color: 'white' }
          : { borderColor: props.isOpen ? 'teal.fg' : 'border', color: 'fg.muted' })}
      >
        {props.isDone ? <Check size={13} /> : props.number}
      </Flex>
      <Box flex="1" minW="0">
        <Flex gap="2" align="center" mb={props.isOpen ? '3' : '0'}>
          <Text as="h3" fontWeight="600" color={props.isOpen || props.isDone ? 'fg' : 'fg.muted'}>
            {props.title}
          </Text>
          {props.isDone ? <Tag palette="green">{t('firstSteps.done')}</Tag> : null}
        </Flex>
        {props.children}
      </Box>
    </Flex>
  )
}

/** A step that is done takes the focus with it: the next one has it then, at the first thing to do. */
function useFocusOnOpening(isOpen: boolean) {
  const row = useRef<HTMLDivElement>(null)
  const wasOpen = useRef(isOpen)
  useEffect(() => {
    const isOpening = isOpen && !wasOpen.current
    wasOpen.current = isOpen
    if (isOpening && document.activeElement === document.body)
      row.current?.querySelector<HTMLElement>('input, a, button')?.focus()
  }, [isOpen])
  return row
}

/** Names shown of the models without a price. */
const NAMES_SHOWN = 5

/** Other models can be called by now, so these can wait. */
function Unpriced({ models }: { models: readonly string[] }) {
  const { t } = useTranslation()
  const names = models.slice(0, NAMES_SHOWN).join(', ')
  return (
    <Text
      fontSize="sm"
      color="fg.muted"
      overflowWrap="anywhere"
      css={{ '& a': { color: 'teal.fg', textDecoration: 'underline' } }}
    >
      {t('firstSteps.unpriced', {
        count: models.length,
        names: models.length > NAMES_SHOWN ? `${names}…` : names,
      })}{' '}
      <Link to="/setting" search={{ prices: 'unset' }} hash="prices">
        {t('firstSteps.setPrices')}
      </Link>
    </Text>
  )
}

/** Only reached when upstream offers nothing that has a price. */
function PriceStep(props: {
  models: readonly string[]
  FirstPrice: FirstPriceForm
  isFocused: boolean
}) {
  const { t } = useTranslation()
  const { models, FirstPrice, isFocused } = props
  const suggested = chatModel(models)
  return (
    <Stack gap="3">
      <Text>{t('firstSteps.priceText', { count: models.length, model: suggested })}</Text>
      <FirstPrice models={models} suggested={suggested} isFocused={isFocused} />
    </Stack>
  )
}
