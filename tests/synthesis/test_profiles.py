"""Profiles are validated, found by name, and survive JSON."""

import json
from dataclasses import replace

import pytest

from codoku_env.errors import ConfigError
from codoku_env.synthesis import PROFILES, Profile, get_profile

TINY = PROFILES["tiny"]


@pytest.mark.parametrize("profile", PROFILES.values(), ids=PROFILES)
def test_round_trip_through_json(profile):
    assert Profile.from_dict(json.loads(json.dumps(profile.to_dict()))) == profile


@pytest.mark.parametrize("name", PROFILES)
def test_profiles_are_found_under_their_own_name(name):
    assert get_profile(name).name == name
    assert get_profile(PROFILES[name]) is PROFILES[name]


@pytest.mark.parametrize(
    ("given", "message"), [("smal", "did you mean 'small'"), ("tinny", "did you mean 'tiny'"), ("xyz", "tiny, small")]
)
def test_unknown_names_get_a_suggestion(given, message):
    with pytest.raises(ConfigError, match=message):
        get_profile(given)


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("name", ""),
        ("statements", (0, 3)),
        ("statements", (3, 2)),
        ("statements", (1,)),
        ("statements", 2),
        ("statements", (1, 2.5)),
        ("statements", (True, 2)),
        ("interior_blocks", (0, 41)),
        ("mask_id", 1.5),
        ("mask_id", "1"),
        ("mask_op", -0.1),
        ("mask_const", float("nan")),
        ("widths", ()),
        ("widths", (8, 12)),
        ("strategy", "magic"),
        ("max_attempts", 0),
        ("solver_rlimit", 1.5),
        ("max_cells", 3),
        ("max_path", 2),
        ("max_examples", 1),
        ("max_parameters", 1),
    ],
)
def test_bad_settings_name_the_field(field, value):
    with pytest.raises(ConfigError, match=field):
        replace(TINY, **{field: value})


def test_settings_from_a_mapping_are_complete_and_known():
    settings = TINY.to_dict()
    with pytest.raises(ConfigError, match="did you mean 'statements'"):
        Profile.from_dict({**settings, "statement": [1, 2]})
    del settings["cells"]
    with pytest.raises(ConfigError, match="expected the setting cells"):
        Profile.from_dict(settings)


def test_a_profile_is_read_from_toml(tmp_path):
    file = tmp_path / "operators.toml"
    file.write_text('base = "tiny"\nmask_id = 0.0\nexamples = [3, 3]\n')
    profile = get_profile(str(file))
    assert (profile.name, profile.mask_id, profile.examples) == ("operators", 0.0, (3, 3))
    assert profile == replace(PROFILES["tiny"], name="operators", mask_id=0.0, examples=(3, 3))


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("mask_id = 0.5", "expected the setting interior_blocks"),
        ('base = "tiny"\nmask_di = 0.5', "did you mean 'mask_id'"),
        ('base = "tiny"\nmask_id = 2', "mask_id to be a number from 0 to 1"),
        ('base = "tny"', "did you mean 'tiny'"),
        ("base = ", "expected a profile in TOML"),
        ("\udcff", "expected a profile in TOML"),
        (None, "expected a readable profile"),
    ],
)
def test_what_is_no_profile_in_toml_is_refused(tmp_path, text, words):
    file = tmp_path / "bad.toml"
    if text is not None:
        file.write_bytes(text.encode(errors="surrogateescape"))
    with pytest.raises(ConfigError, match=words):
        get_profile(str(file))
