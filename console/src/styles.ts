/** Imported by itself, so that the browser takes in what makes the look in a task of its own. */
export { ChakraProvider } from '@chakra-ui/react'
