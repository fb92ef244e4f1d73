import { Flex, Text } from '@chakra-ui/react'
import { CopyButton } from './copy-button.tsx'

/** A text to take away (a link, a key, a code) in mono type, with its copy button; `label` names what is copied. */
export function CopyBox({ text, label }: { text: string; label: string }) {
  return (
    <Flex align="center" gap="1" bg="bg.muted" borderRadius="l2" px="3" py="1.5" minW="0">
      <Text fontFamily="mono" fontSize="xs" flex="1" minW="0" overflowWrap="anywhere">
        {text}
      </Text>
      <CopyButton text={text} label={label} />
    </Flex>
  )
}
