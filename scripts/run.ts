import { spawn } from 'node:child_process'

type Env = Record<string, string>

/** Runs one of the tools in node_modules/.bin (npm has put it on the path) and keeps what it said. */
export function run(command: string, env: Env = {}): Promise<{ ok: boolean; output: string }> {
  return new Promise((resolve) => {
    const child = spawn(command, {
      shell: true,
      stdio: ['ignore', 'pipe', 'pipe'],
      env: { ...process.env, ...env },
    })
    const chunks: Buffer[] = []
    child.stdout.on('data', (chunk: Buffer) => chunks.push(chunk))
    child.stderr.on('data', (chunk: Buffer) => chunks.push(chunk))
    child.on('error', (error) => resolve({ ok: false, output: error.message }))
    child.on('close', (code) => resolve({ ok: code === 0, output: Buffer.concat(chunks).toString() }))
  })
}

/** Runs a tool that speaks for itself; answers whether it succeeded. */
export function show(command: string, env: Env = {}): Promise<boolean> {
  return new Promise((resolve) => {
    const child = spawn(command, { shell: true, stdio: 'inherit', env: { ...process.env, ...env } })
    child.on('error', () => resolve(false))
    child.on('close', (code) => resolve(code === 0))
  })
}
