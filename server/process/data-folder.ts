import { accessSync, constants, existsSync, mkdirSync } from 'node:fs'
import { dirname, resolve } from 'node:path'
import { StartError } from '../errors.ts'

export function assertWritable(dataDir: string) {
  try {
    makeFolder(resolve(dataDir))
    accessSync(dataDir, constants.W_OK)
  } catch (error) {
    throw new StartError(
      `Cannot write to the data folder ${dataDir} (${(error as Error).message}). Set DATA_DIR to a folder that this user may write.`,
    )
  }
}

/** Folder by folder: Node's own `recursive` tries for ever where a folder refuses its children as if it were not there (/proc). */
function makeFolder(path: string) {
  if (existsSync(path)) return
  makeFolder(dirname(path))
  try {
    mkdirSync(path)
  } catch (error) {
    // Another process may have made it in this very moment.
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
  }
}
