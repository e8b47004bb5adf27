// Numbers, spans and dates as text for people.

const GROUPED = new Intl.NumberFormat('en', {maximumFractionDigits: 0});

export const number = (value) => (typeof value === 'number' ? GROUPED.format(value) : String(value ?? ''));

// At most five characters: 950, 12.3k, 4.5M. As `fastjournal top`.
export function shortly(value) {
  if (!Number.isFinite(value)) return '';
  if (value > 0 && value < 9.95 && !Number.isInteger(value)) return value < 0.05 ? '<0.1' : value.toFixed(1);
  if (value < 9999.5) return value.toFixed(0);
  let scaled = value / 1000;
  let unit = 0;
  while (scaled >= 999.5 && unit < 3) {
    scaled /= 1000;
    unit += 1;
  }
  return scaled.toFixed(scaled < 99.95 ? 1 : 0) + 'kMGT'[unit];
}

// 250 ms, 12.3 s, 45 min, 8.1 h, 12 d
export function span(ms) {
  if (!Number.isFinite(ms)) return '';
  if (ms < 1000) return `${Math.round(ms)} ms`;
  const seconds = ms / 1000;
  if (seconds < 99.95) return `${seconds.toFixed(1)} s`;
  if (seconds < 5999) return `${Math.round(seconds / 60)} min`;
  if (seconds < 172_800) return `${(seconds / 3600).toFixed(1)} h`;
  return `${number(Math.round(seconds / 86_400))} d`;
}

export const micros = (us) =>
    (us < 1000 ?
         `${us} µs` :
         span(us / 1000).replace(/^(\d+) ms$/, (_all, ms) => (ms < 10 ? `${(us / 1000).toFixed(1)} ms` : `${ms} ms`)));

export function bytes(value) {
  if (!Number.isFinite(value)) return '';
  let scaled = value;
  let unit = 0;
  while (scaled >= 1023.95 && unit < 5) {
    scaled /= 1024;
    unit += 1;
  }
  return `${unit === 0 || scaled >= 99.95 ? scaled.toFixed(0) : scaled.toFixed(1)} ${
          ['B', 'KiB', 'MiB', 'GiB', 'TiB', 'PiB'][unit]}`;
}

const two = (value) => String(value).padStart(2, '0');

// 2026-11-22 06:33:12, of this computer's zone.
export function date(ms) {
  const at = new Date(ms);
  if (Number.isNaN(at.getTime())) return String(ms);
  return `${at.getFullYear()}-${two(at.getMonth() + 1)}-${two(at.getDate())} ${clockTime(ms)}`;
}

export function clockTime(ms) {
  const at = new Date(ms);
  return `${two(at.getHours())}:${two(at.getMinutes())}:${two(at.getSeconds())}`;
}

// For programs, and to the millisecond.
export function exactDate(ms) {
  const at = new Date(ms);
  return Number.isNaN(at.getTime()) ?
      String(ms) :
      `${date(ms)}.${String(at.getMilliseconds()).padStart(3, '0')} here, ${at.toISOString()}`;
}

// in 5 min, 3 s ago
export function relative(ms, now) {
  const distance = ms - now;
  if (Math.abs(distance) < 1000) return 'now';
  const text = spanWhole(Math.abs(distance));
  return distance > 0 ? `in ${text}` : `${text} ago`;
}

// Without fractions, since it ticks: 12 s, 3 min, 5 h 12 min, 3 d 4 h.
export function spanWhole(ms) {
  const s = Math.floor(ms / 1000);
  if (s < 120) return `${s} s`;
  if (s < 3600) return `${Math.floor(s / 60)} min`;
  if (s < 86_400) return `${Math.floor(s / 3600)} h ${Math.floor((s % 3600) / 60)} min`;
  if (s < 864_000) return `${Math.floor(s / 86_400)} d ${Math.floor((s % 86_400) / 3600)} h`;
  return `${number(Math.round(s / 86_400))} d`;
}

// A long text for a narrow place; the whole of it belongs elsewhere.
export function shortened(text, most = 160) {
  const flat = String(text).replace(/\s+/g, ' ');
  return flat.length <= most ? flat : `${flat.slice(0, most - 1)}…`;
}

export const plural = (count, one, many = `${one}s`) => `${number(count)} ${count === 1 ? one : many}`;
