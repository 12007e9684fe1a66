export type Request = {
  method: string
  path: string
  query: URLSearchParams
  form: URLSearchParams
  cookies: Map<string, string>
}
export type Answer = { status: number; body: unknown }

export const json = (body: unknown, status = 200): Answer => ({ status, body })
