<?php

declare(strict_types=1);

/** Turns numbers into text, because a reader of JSON may turn them into doubles. */
function as_text(mixed $value): mixed
{
    if (is_object($value)) {
        return (object) array_map('as_text', get_object_vars($value));
    }
    if (is_array($value)) {
        return array_map('as_text', $value);
    }
    return $value === null ? null : (string) $value;
}
