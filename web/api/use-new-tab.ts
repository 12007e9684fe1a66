import { useMutation } from '@tanstack/react-query'

export function useNewTab<Input>(findUrl: (input: Input) => Promise<string>, onError: (error: unknown) => void) {
  return useMutation({
    mutationFn: async (input: Input) => {
      // Opened during the click, because browsers block a tab opened later as a pop-up.
      const tab = window.open('', '_blank')
      try {
        const url = await findUrl(input)
        if (!tab) {
          location.assign(url)
          return
        }
        tab.opener = null
        tab.location.replace(url)
      } catch (error) {
        tab?.close()
        throw error
      }
    },
    onError,
  })
}
