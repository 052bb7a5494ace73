import { rmSync } from 'node:fs';

export default function removePrograms(): void {
  rmSync(process.env.TEST_PROGRAMS as string, { recursive: true });
}
